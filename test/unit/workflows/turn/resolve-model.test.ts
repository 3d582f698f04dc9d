/** Which model the loop calls, where a table chooses it anew before each call. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MomentInput } from '../../../../src/activities/types.js';
import { FEATURES } from '../../../../src/compose.js';
import type { PinnedRun } from '../../../../src/run/agents/run-config.js';
import { FAILURE, MODEL_FAILURES } from '../../../../src/run/limits/failure.js';
import { NO_USAGE, type StopReason } from '../../../../src/run/messages/message.js';
import type { ResolverRow } from '../../../../src/run/models/resolver.js';
import { executionAt } from '../../../../src/run/position/position.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { setModel } from '../../../../src/workflows/changes/set-model.js';
import type { Ports } from '../../../../src/workflows/run/ports.js';
import { Run } from '../../../../src/workflows/run/run.js';
import { beginNextGoal } from '../../../../src/workflows/say/notes.js';
import { runTurns } from '../../../../src/workflows/turn/turn-loop.js';
import { modelFacts, pinnedRun } from '../../../support/core-values.js';
import { quietPorts, testRole } from '../../../support/small-run.js';

/** How a call ends: a failure of this type, or a reply. */
type End = string | null;

/** Replies that their model or its endpoint gave up: they end a call as a failure does. */
const DECLINED: readonly string[] = ['refusal', 'content_filter'];

/** An executor that is asked for a text; `ends` by call, then replies. */
function runWith(resolver: ResolverRow[], ends: readonly End[] = [], pinned: Partial<PinnedRun> = {}) {
  const state = newRunState('Do it.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  const executor = testRole('executor', { output: 'text', tools: [] });
  state.pinned = pinnedRun({
    roles: { executor },
    models: ['p/a', 'p/b'],
    resolver,
    modelTimeoutMs: 600_000,
    ...pinned,
  });
  const called: string[] = [];
  const ports: Ports = {
    ...quietPorts([]),
    callModel: async ({ model }) => {
      called.push(model);
      const type = ends[called.length - 1] ?? null;
      if (type !== null && !DECLINED.includes(type))
        return { ok: false, failure: { kind: 'application', type, message: 'It broke.' } };
      const content = [{ type: 'text' as const, text: 'Done.' }];
      const usage = { ...NO_USAGE, inputTokens: 10 };
      const stopReason = (type ?? 'end_turn') as StopReason;
      return { ok: true, value: { content, stopReason, usage, model, durationMs: 1 } };
    },
  };
  const run = new Run(state, ports, FEATURES);
  const turn = async () => {
    state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
    const instruction = () => 'Do task-1.';
    return runTurns(run, { role: 'executor', output: 'text', maxRounds: 9, tools: false, instruction });
  };
  const switches = () =>
    state.log.journal.events
      .filter(event => event.type === 'provider_switch')
      .map(({ fromModel, toModel, why }) => [fromModel, toModel, why]);
  return { run, state, executor, called, turn, switches };
}

describe('a row of the table', () => {
  test('resolver: it holds from a turn on → its model from there on, told with the row (M4, M5)', async () => {
    const world = runWith([{ when: { turnFrom: 2 }, use: ['p/x'] }]);
    await world.turn();
    await world.turn();
    expect(world.called).toEqual(['p/a', 'p/x']);
    expect(world.switches()).toEqual([['p/a', 'p/x', 'models.resolver, row 1: turnFrom 2']]);
  });

  test('resolver: it holds no longer → the chain again, told (M4, M5)', async () => {
    const world = runWith([{ when: { lastStop: 'end_turn' }, use: ['p/x'] }]);
    await world.turn();
    await world.turn();
    beginNextGoal(world.run, 'And then?');
    await world.turn();
    expect(world.called).toEqual(['p/a', 'p/x', 'p/a']);
    expect(world.switches().at(-1)).toEqual(['p/x', 'p/a', 'its own chain again']);
  });

  test('resolver: a person has set a model → no row replaces it (M4)', async () => {
    const world = runWith([{ when: {}, use: ['p/x'] }]);
    setModel(world.run, world.executor, 'p/b', 'chosen by a person');
    await world.turn();
    expect(world.called).toEqual(['p/b']);
  });

  test('resolver: a share of a budget is used → its model (M4, LI3)', async () => {
    const limits = { ...pinnedRun().limits, tokens: 20 };
    const world = runWith([{ when: { budgetFrom: { tokens: 0.5 } }, use: ['p/x'] }], [], { limits });
    await world.turn();
    await world.turn();
    expect(world.called).toEqual(['p/a', 'p/x']);
  });
});

describe('a model of the table that fails', () => {
  test('resolver: its list has another → that one, also in later turns (M4, M6)', async () => {
    const world = runWith([{ when: {}, use: ['p/x', 'p/y'] }], [FAILURE.model.server]);
    expect(await world.turn()).toMatchObject({ kind: 'reply' });
    await world.turn();
    expect(world.called).toEqual(['p/x', 'p/y', 'p/y']);
    expect(world.switches()).toEqual([['p/x', 'p/y', 'model.server_error: It broke.']]);
  });

  test('resolver: its list has no other → the turn fails, and the chain stays unused (M4)', async () => {
    const world = runWith([{ when: {}, use: ['p/x'] }], [FAILURE.model.server]);
    expect(await world.turn()).toMatchObject({ kind: 'failed' });
    expect(world.called).toEqual(['p/x']);
  });

  test('resolver: a row waits for the failure → its model at once, also without another in the chain (M4)', async () => {
    const row = { when: { lastFailure: FAILURE.model.rateLimited }, use: ['p/x'] };
    const world = runWith([row], [FAILURE.model.rateLimited], { models: ['p/a'] });
    expect(await world.turn()).toMatchObject({ kind: 'reply' });
    await world.turn();
    expect(world.called).toEqual(['p/a', 'p/x', 'p/x']);
  });

  test.each(DECLINED)(
    'resolver: a row waits for a reply that ended so: %s → its model next (M4)',
    async stop => {
      const row = { when: { lastStop: stop as StopReason }, use: ['p/x'] };
      const world = runWith([row], [stop], { models: ['p/a', 'p/b'] });
      expect(await world.turn()).toMatchObject({ kind: 'reply' });
      expect(world.called).toEqual(['p/a', 'p/x']);
    },
  );

  test('resolver: a row waits for a context that is too long → a larger model, and the thread stays whole (M4)', async () => {
    const row = { when: { lastFailure: FAILURE.model.contextTooLong }, use: ['p/large'] };
    const world = runWith([row], [FAILURE.model.contextTooLong], { models: ['p/a'] });
    expect(await world.turn()).toMatchObject({ kind: 'reply' });
    expect(world.called).toEqual(['p/a', 'p/large']);
  });

  test('resolver: two rows send to each other → each model is asked once (M4)', async () => {
    const rows = [
      { when: { lastFailure: FAILURE.model.server }, use: ['p/y'] },
      { when: { lastFailure: FAILURE.model.overloaded }, use: ['p/x'] },
    ];
    const { server, overloaded } = FAILURE.model;
    const world = runWith(rows, [server, overloaded, server, overloaded], { models: ['p/x'] });
    expect(await world.turn()).toMatchObject({ kind: 'failed' });
    expect(world.called).toEqual(['p/x', 'p/y']);
  });
});

describe('a program that chooses', () => {
  const modelInfo = { 'p/z': modelFacts(9_000, true) };

  test('resolveModel: it names a model that is known → that one, told; where it fails, the chain (M4)', async () => {
    const world = runWith([], [null, FAILURE.model.server], { asksProgram: true, modelInfo });
    await world.turn();
    world.run.ports.resolveModel = async () => ({ ok: true, value: { model: 'p/z' } });
    expect(await world.turn()).toMatchObject({ kind: 'reply' });
    expect(world.called).toEqual(['p/a', 'p/z', 'p/a']);
    expect(world.switches()[0]).toEqual(['p/a', 'p/z', "chosen by the worker's program"]);
  });

  test('resolveModel: it fails, or names a model that is not known → the chain, with one warning (M4)', async () => {
    const world = runWith([], [], { asksProgram: true, modelInfo });
    world.run.ports.resolveModel = async () => ({ ok: true, value: { model: 'p/nobody' } });
    await world.turn();
    const failure = { kind: 'application' as const, type: '', message: 'no database' };
    world.run.ports.resolveModel = async () => ({ ok: false, failure });
    await world.turn();
    expect(world.called).toEqual(['p/a', 'p/a']);
    const warnings = world.state.log.journal.events.filter(({ type }) => type === 'warning');
    expect(warnings).toMatchObject([{ text: expect.stringContaining('p/nobody') }]);
  });

  test('CF10 resolveModel: it throws after a choice → that model stays, and onError hears of it once a goal', async () => {
    const world = runWith([], [], { asksProgram: true, modelInfo, hooks: ['onError'] });
    const told: MomentInput[] = [];
    world.run.ports.tell = async input => {
      told.push(input);
      return { ok: true, value: { goOn: true } };
    };
    world.run.ports.resolveModel = async () => ({ ok: true, value: { model: 'p/z' } });
    await world.turn();
    const failure = { kind: 'application' as const, type: '', message: 'no database' };
    world.run.ports.resolveModel = async () => ({ ok: false, failure });
    await world.turn();
    await world.turn();
    expect(world.called).toEqual(['p/z', 'p/z', 'p/z']);
    expect(told).toMatchObject([{ at: 'error', role: 'executor', error: 'resolveModel: no database' }]);
  });
});

const models = fc.constantFrom('p/a', 'p/b', 'p/c', 'p/d');
const chain = fc.array(models, { minLength: 1, maxLength: 3 });
const when = fc.oneof(
  fc.record({ lastFailure: fc.constantFrom(...MODEL_FAILURES) }),
  fc.record({ turnFrom: fc.constantFrom(1, 2) }),
  fc.constant({}),
);
const table = fc.array(fc.record({ when, use: chain }), { maxLength: 5 });
// A context that is too long is asked for again, shorter: the same model, four times at most.
const failing = MODEL_FAILURES.filter(type => type !== FAILURE.model.contextTooLong);

test('resolver: any table, every call fails → no model is asked twice for one reply, and the turn fails (M4)', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      chain,
      fc.array(fc.constantFrom(...failing), { minLength: 20, maxLength: 20 }),
      async (rows, own, ends) => {
        const world = runWith(rows, ends, { models: own });
        expect(await world.turn()).toMatchObject({ kind: 'failed' });
        expect(new Set(world.called).size).toBe(world.called.length);
      },
    ),
  );
});
