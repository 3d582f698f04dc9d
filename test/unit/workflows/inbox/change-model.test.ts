/** A person changes the model of a run in flight. */
import { describe, expect, test } from 'vitest';
import { modelOf } from '../../../../src/rules/limits/in-force.js';
import type { PinnedRun } from '../../../../src/run/agents/run-config.js';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import { changeModel } from '../../../../src/workflows/inbox/inbox-handlers.js';
import { budgetReader, modelReader } from '../../../../src/workflows/inbox/read-input.js';
import { rescueFailure } from '../../../../src/workflows/turn/rescue.js';
import { modelFacts } from '../../../support/core-values.js';
import { runAtCalls, testRole } from '../../../support/small-run.js';

function runOf(more: Partial<PinnedRun> = {}) {
  const roles = { planner: testRole('planner'), executor: testRole('executor') };
  const modelInfo = { 'p/a': modelFacts(9_000, true), 'p/free': modelFacts(9_000, false) };
  return runAtCalls([], { pinned: { roles, models: ['p/a'], modelInfo, ...more } }).run;
}

describe('a limit of cost that could not be held', () => {
  test('setBudget: a role is called with a model without a price → refused with the model; other limits are taken', () => {
    const { state } = runOf({ models: ['p/free'] });
    expect(budgetReader(state, 1)({ costUsd: 1 })).toEqual({
      error: 'No price is known for p/free, so the limit costUsd could not be held.',
    });
    expect(budgetReader(state, 1)({ tokens: 1_000_000, costUsd: null })).toHaveProperty('ok');
    expect(budgetReader(runOf().state, 1)({ costUsd: 1 })).toEqual({ ok: { costUsd: 1 } });
  });

  test('setBudget: what the goal has cost is not known → refused, whatever is called now', () => {
    const { state } = runOf();
    state.goal.usage = { ...state.goal.usage, costUsd: null };
    expect(budgetReader(state, 1)({ costUsd: 1 })).toEqual({ error: expect.stringMatching(/not known/) });
    expect(budgetReader(state, 1)({ costUsd: null })).toHaveProperty('ok');
  });
});

describe('what is taken', () => {
  test.each<[string, unknown, unknown]>([
    [
      'a model that the run knows → for every role',
      { model: 'p/free' },
      { model: 'p/free', role: null, roles: ['planner', 'executor'] },
    ],
    [
      'a role beside it → for that one',
      { model: 'p/free', role: 'planner' },
      { model: 'p/free', role: 'planner', roles: ['planner'] },
    ],
    [
      'a role by its id in other systems → that role (CF7)',
      { model: 'p/free', role: 'planner-agent' },
      { model: 'p/free', role: 'planner', roles: ['planner'] },
    ],
  ])('setModel: %s (M4)', (_, input, ok) => {
    expect(modelReader(runOf().state)(input)).toEqual({ ok });
  });

  test.each<[string, unknown, RegExp]>([
    [
      'a model that it does not know → those that it does',
      { model: 'p/x' },
      /does not know the model p\/x.*p\/a, p\/free/,
    ],
    [
      'a role that there is not → those that there are',
      { model: 'p/a', role: 'writer' },
      /no role writer.*planner, executor/,
    ],
    ['no model → what to give', { role: 'planner' }, /"model"/],
    ['nothing → what to give', null, /"model"/],
  ])('setModel: %s (M4, ST4)', (_, input, said) => {
    expect(modelReader(runOf().state)(input)).toEqual({ error: expect.stringMatching(said) });
  });

  test('setModel: a limit of cost, and a model without a price → refused (LI2)', () => {
    const { state } = runOf();
    state.limits = { costUsd: 1 };
    expect(modelReader(state)({ model: 'p/free' })).toEqual({ error: expect.stringContaining('No price') });
    expect(modelReader(state)({ model: 'p/a' })).toHaveProperty('ok');
  });

  test('setModel: the run is stopping, or has ended → refused', () => {
    const { state } = runOf();
    state.people.stop = { at: 1, reason: '' };
    expect(modelReader(state)({ model: 'p/a' })).toEqual({ error: expect.stringContaining('stopping') });
    state.end = { outcome: 'stopped', cause: 'stopped', answer: '' };
    expect(modelReader(state)({ model: 'p/a' })).toEqual({ error: expect.stringContaining('ended') });
  });
});

test('setModel: while a gate asks about a model that failed → the gate closes, and the role goes on with it (M4)', async () => {
  const run = runOf();
  const role = run.role('executor');
  const failure = { kind: 'application' as const, type: FAILURE.model.auth, message: 'No key.' };
  const rescued = rescueFailure(run, role, failure);
  changeModel(run, { model: 'p/free', role: 'executor', roles: ['executor'] });
  expect(await rescued).toBe('again');
  expect(modelOf(run.state, role)).toBe('p/free');
  expect(run.state.people.gates).toEqual([]);
  expect(run.state.log.journal.events.map(({ type }) => type)).toEqual([
    'gate_opened',
    'provider_switch',
    'gate_closed',
  ]);
});
