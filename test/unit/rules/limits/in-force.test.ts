import { expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { BOUNDS } from '../../../../src/conversation/state-bounds.js';
import {
  chainOf,
  limitsOf,
  mayBeCalled,
  modelOf,
  nextModelOf,
} from '../../../../src/rules/limits/in-force.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import { setLimits } from '../../../../src/workflows/changes/set-limits.js';
import {
  chooseModel,
  disableModel,
  goOnWith,
  leaveModel,
  setModel,
} from '../../../../src/workflows/changes/set-model.js';
import { runAtCalls, testRole } from '../../../support/small-run.js';

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
  setModel(run, executor, 'p/c', 'chosen');
  expect(limitsOf(run.state)).toEqual({ ...DEFAULT_LIMITS, turns: 7, tokens: 5 });
  expect(modelOf(run.state, executor)).toBe('p/c');
  expect(nextModelOf(run.state, executor, 'p/c')).toBeUndefined();
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
  state.models.failed.executor = ['p/a'];
  expect(modelOf(state, executor)).toBe('p/b');
  expect(nextModelOf(state, executor, 'p/b')).toBeUndefined();
  expect(modelOf(state, testRole('verifier'))).toBe('p/x');
  expect(nextModelOf(state, testRole('verifier'), 'p/x')).toBe('p/y');
  expect(chainOf(state, testRole('verifier'))).toEqual(['p/x', 'p/y']);
});

test('modelOf: every model of its chain failed a role → the last, for who wants it tried again', () => {
  const { state } = smallRun();
  state.models.failed.executor = ['p/b', 'p/a'];
  expect(modelOf(state, executor)).toBe('p/b');
  expect(nextModelOf(state, executor, 'p/b')).toBeUndefined();
});

test('modelOf: models are out → the others; where all are, the one it was called with last; a person wants one → in again (M7)', () => {
  const run = smallRun();
  const { state } = run;
  goOnWith(run, executor, 'p/a', 'its chain');
  disableModel(run, 'p/a', 'model.auth');
  expect(modelOf(state, executor)).toBe('p/b');
  expect(nextModelOf(state, executor, 'p/b')).toBeUndefined();
  disableModel(run, 'p/b', 'model.auth');
  expect(modelOf(state, executor)).toBe('p/a');
  expect(mayBeCalled(state, executor)).toBe(false);
  setModel(run, testRole('verifier'), 'p/b', 'chosen');
  expect(modelOf(state, executor)).toBe('p/b');
  expect(mayBeCalled(state, executor)).toBe(true);
  expect(mayBeCalled(state, executor, 'p/b')).toBe(false);
});

test('models that are chosen or put out without end → the last of them, within their bounds (ST1)', () => {
  const run = smallRun();
  for (let number = 0; number < 200; number += 1) {
    disableModel(run, `p/${number}`, 'model.auth');
    chooseModel(run, { model: 'p/a', role: `role-${number}` });
  }
  const { out, chosen } = run.state.models;
  expect(Object.keys(out).at(-1)).toBe('p/199');
  expect(Object.keys(chosen.roles).at(-1)).toBe('role-199');
  expect(jsonBytes(out)).toBeLessThanOrEqual(BOUNDS['models.out']);
  expect(jsonBytes(chosen)).toBeLessThanOrEqual(BOUNDS['models.chosen']);
});

test('a model: it fails a role, which goes on, and a person takes the first again → told with from, to and why (M5)', () => {
  const run = smallRun();
  goOnWith(run, executor, 'p/a', 'its chain');
  leaveModel(run, executor, { model: 'p/a', next: 'p/b', why: 'overloaded' });
  expect(modelOf(run.state, executor)).toBe('p/b');
  setModel(run, executor, 'p/a', 'chosen by a person');
  setModel(run, executor, 'p/a', 'chosen once more');
  expect(modelOf(run.state, executor)).toBe('p/a');
  expect(switchesOf(run)).toEqual([
    { role: 'executor', fromModel: 'p/a', toModel: 'p/b', why: 'overloaded' },
    { role: 'executor', fromModel: 'p/b', toModel: 'p/a', why: 'chosen by a person' },
  ]);
});

function switchesOf({ state }: ReturnType<typeof smallRun>) {
  return state.log.journal.events
    .filter(event => event.type === 'provider_switch')
    .map(({ role, fromModel, toModel, why }) => ({ role, fromModel, toModel, why }));
}
