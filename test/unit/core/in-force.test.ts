import { expect, test } from 'vitest';
import { chainOf, limitsOf, modelOf } from '../../../src/core/in-force.js';
import { DEFAULT_LIMITS } from '../../../src/core/limits.js';
import { setLimits } from '../../../src/workflows/set-limits.js';
import { setModel } from '../../../src/workflows/set-model.js';
import { runAtCalls, testRole } from '../../support/small-run.js';

const executor = testRole('executor', { models: ['p/a', 'p/b'] });

function smallRun() {
  const roles = { executor, verifier: testRole('verifier') };
  const { run } = runAtCalls([], { pinned: { roles, models: ['p/x', 'p/y'], ceilings: { tokens: 5 } } });
  return run;
}

test('limits, a model: set in a run in flight → in force at once, and what the run pins stays as it was', () => {
  const run = smallRun();
  const pinned = structuredClone(run.pinned);
  setLimits(run, { turns: 7, tokens: 9 }, 'setBudget');
  setModel(run, executor, 'p/c');
  expect(limitsOf(run.state)).toEqual({ ...DEFAULT_LIMITS, turns: 7, tokens: 5 });
  expect(modelOf(run.state, executor)).toEqual({ model: 'p/c', next: undefined });
  expect(run.pinned).toEqual(pinned);
});

test('setLimits: one limit after another → both are in force', () => {
  const run = smallRun();
  setLimits(run, { turns: 7 }, 'setBudget');
  setLimits(run, { execution: 3 }, 'gate');
  expect(run.limits).toEqual({ ...DEFAULT_LIMITS, turns: 7, execution: 3 });
});

test('modelOf: a role that went on in its chain, one without a chain → its own next, the first of the run', () => {
  const { state } = smallRun();
  state.models.index.executor = 1;
  expect(modelOf(state, executor)).toEqual({ model: 'p/b', next: undefined });
  expect(modelOf(state, testRole('verifier'))).toEqual({ model: 'p/x', next: 'p/y' });
  expect(chainOf(state, testRole('verifier'))).toEqual(['p/x', 'p/y']);
});
