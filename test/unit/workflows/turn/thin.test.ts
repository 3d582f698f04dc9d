/** Old results that are left out of a conversation before a call, where that is cheaper (X2). */
import { expect, test } from 'vitest';
import type { ContextRules } from '../../../../src/run/limits/decide.js';
import { type Message, NO_USAGE, type Usage } from '../../../../src/run/messages/message.js';
import { executionAt } from '../../../../src/run/position/position.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { recallTool } from '../../../../src/shared/store/recall.js';
import { Run } from '../../../../src/workflows/run/run.js';
import { callModel } from '../../../../src/workflows/turn/call-model.js';
import { modelFacts, pinnedRun } from '../../../support/core-values.js';
import { quietPorts, testRole } from '../../../support/small-run.js';

/** A role that has read twenty files, and is called once more. */
async function afterResults({
  context = { softTokens: 5_000 },
  usage = {},
  turns = 20,
  storeAway = false,
  contextTokens = 100_000,
  toolsOffered = true,
}: {
  context?: ContextRules;
  usage?: Partial<Usage>;
  turns?: number;
  storeAway?: boolean;
  contextTokens?: number;
  toolsOffered?: boolean;
} = {}) {
  const role = testRole('executor', { tools: [], prompt: 'Execute.' });
  const state = newRunState('Measure the pool.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  state.pinned = pinnedRun({
    ...{ keeps: true, context, tools: [recallTool], roles: { executor: role }, models: ['p/a'] },
    modelInfo: { 'p/a': modelFacts(contextTokens, true) },
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  state.total.turns = turns;
  state.total.usage = { ...NO_USAGE, inputTokens: 100_000, ...usage };
  if (storeAway) state.log.keepFailedAt = 1_000;
  const asked: number[] = [];
  const run: Run = new Run(state, {
    ...quietPorts([]),
    callModel: async () => {
      asked.push(run.mainThread().tokens);
      const content = [{ type: 'text' as const, text: 'Done.' }];
      return { ok: true, value: { content, stopReason: 'end_turn', usage: NO_USAGE, durationMs: 1 } };
    },
  });
  const thread = run.mainThread();
  run.say(thread, 'role', 'Execute.', { role: 'executor' });
  run.say(thread, 'goal', 'Measure the pool.');
  for (let at = 1; at <= 20; at++) for (const message of callAndResult(run, at)) run.append(thread, message);
  await callModel(run, role, toolsOffered);
  const has = (wanted: string) => state.log.journal.events.some(({ type }) => type === wanted);
  return { thinned: has('thread_trimmed'), summarised: has('compaction_started'), tokens: asked[0] ?? 0 };
}

function callAndResult(run: Run, at: number, chars = 1_500): Message[] {
  const call = { type: 'tool_use' as const, id: `t${at}`, name: 'read', input: { path: `${at}.txt` } };
  const said = [{ type: 'text' as const, text: `File ${at}. ${'word '.repeat(chars / 5)}` }];
  return [
    {
      ...{ id: run.nextId('m'), at, kind: 'assistant', role: 'executor', model: 'p/a', usage: NO_USAGE },
      ...{ stopReason: 'tool_use', action: 'calling_tool', content: [call] },
    },
    {
      ...{ id: run.nextId('m'), at, kind: 'tool_result' },
      content: [
        {
          ...{ type: 'tool_result', toolUseId: call.id, toolName: 'read', ending: 'executed', note: '' },
          ...{ content: said, isError: false, durationMs: 1 },
        },
      ],
    },
  ];
}

test('X2: many turns have been, and none of the input came from a cache → old results are left out', async () => {
  const { thinned, tokens } = await afterResults();
  expect([thinned, tokens < 5_000]).toEqual([true, true]);
});

test.each<[string, Parameters<typeof afterResults>[0]]>([
  // What is changed is sent at the full price once: all of it came from the cache before.
  [
    'nearly all came from a cache, and few turns have been',
    { turns: 1, usage: { cachedInputTokens: 98_000 } },
  ],
  ['few turns have been, whatever they cost', { turns: 0 }],
])('X2: %s → they stay, for leaving them out is not cheaper', async (_what, given) => {
  expect(await afterResults(given)).toMatchObject({ thinned: false });
});

test('X2: the same few turns without a cache → they are left out, so that the cache is what decides', async () => {
  expect(await afterResults({ turns: 1 })).toMatchObject({ thinned: true });
});

test('X2: a limit of the role itself → it is the one that counts', async () => {
  const context = { softTokens: 5_000, roles: { executor: 50_000 } };
  expect(await afterResults({ context })).toMatchObject({ thinned: false });
  const less = { softTokens: 50_000, roles: { executor: 5_000 } };
  expect(await afterResults({ context: less })).toMatchObject({ thinned: true });
});

test('X2: a model takes less than the limit → results are left out, before a summary is paid for', async () => {
  const given = { context: { softTokens: 50_000, compacts: {} }, contextTokens: 11_000 };
  expect(await afterResults(given)).toMatchObject({ thinned: true, summarised: false });
});

test('X8: the store does not take what is said → results stay, for they could not be read again', async () => {
  expect(await afterResults({ storeAway: true })).toMatchObject({ thinned: false });
});

test('SE2: a call without tools, such as a verdict → nothing that its model takes is left out or summarised', async () => {
  const given = { toolsOffered: false, context: { softTokens: 5_000, compacts: {} } };
  expect(await afterResults(given)).toMatchObject({ thinned: false, summarised: false });
});

test.each([
  ['results of 4 KB beside short replies', 4_000, 40],
  ['results of 400 characters, which stay', 400, 300],
])(
  'SE3: 600 turns with %s → at most 40 changes of the conversation, whatever breaks the cache',
  async (_what, chars, words) => {
    const role = testRole('executor', { tools: [], prompt: 'Execute.' });
    const state = newRunState('Measure the pool.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
    state.pinned = pinnedRun({
      ...{
        keeps: true,
        context: { softTokens: 0.4 },
        tools: [recallTool],
        roles: { executor: role },
        models: ['p/a'],
      },
      modelInfo: { 'p/a': modelFacts(128_000, true) },
    });
    state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
    state.total.usage = { ...NO_USAGE, inputTokens: 100_000, cachedInputTokens: 90_000 };
    const run: Run = new Run(state, {
      ...quietPorts([]),
      callModel: async () => {
        const content = [{ type: 'text' as const, text: 'word '.repeat(words) }];
        const usage = { ...NO_USAGE, inputTokens: 10_000, cachedInputTokens: 9_000 };
        return { ok: true, value: { content, stopReason: 'end_turn', usage, durationMs: 1 } };
      },
    });
    const thread = run.mainThread();
    run.say(thread, 'goal', 'Measure the pool.');
    for (let at = 1; at <= 600; at++) {
      for (const message of callAndResult(run, at, chars)) run.append(thread, message);
      await callModel(run, role, true);
    }
    expect(thread.epoch).toBeGreaterThan(0);
    expect(thread.epoch).toBeLessThanOrEqual(40);
  },
);
