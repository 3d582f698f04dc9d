/** Old results that are left out of a conversation before a call, where that is cheaper (X2). */
import { expect, test } from 'vitest';
import { FEATURES } from '../../../../src/compose.js';
import type { ContextRules } from '../../../../src/run/limits/context-rules.js';
import { estimateMessageTokens } from '../../../../src/run/limits/tokens.js';
import { type Message, NO_USAGE, toolCallsOf, type Usage } from '../../../../src/run/messages/message.js';
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
  const run: Run = new Run(
    state,
    {
      ...quietPorts([]),
      callModel: async () => {
        asked.push(run.mainThread().tokens);
        const content = [{ type: 'text' as const, text: 'Done.' }];
        return { ok: true, value: { content, stopReason: 'end_turn', usage: NO_USAGE, durationMs: 1 } };
      },
    },
    FEATURES,
  );
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

/**
 * A run of many turns, each of which reads another file; nearly all of the input comes from a cache. `calls`: the replies
 * of the model are these calls; else each follows one.
 */
async function manyTurns({
  turns,
  calls = false,
  chars = 4_000,
  words = 20,
  softTokens = 0.4,
  contextTokens,
}: {
  turns: number;
  calls?: boolean;
  chars?: number;
  words?: number;
  softTokens?: number;
  contextTokens: number;
}) {
  const role = testRole('executor', { tools: [], prompt: 'Execute.' });
  const state = newRunState('Measure the pool.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  state.pinned = pinnedRun({
    ...{ keeps: true, context: { softTokens }, tools: [recallTool], roles: { executor: role } },
    ...{ models: ['p/a'], modelInfo: { 'p/a': modelFacts(contextTokens, true) } },
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  state.total.usage = { ...NO_USAGE, inputTokens: 100_000, cachedInputTokens: 90_000 };
  const sent: Message[][] = [];
  const run: Run = new Run(
    state,
    {
      ...quietPorts([]),
      callModel: async () => {
        sent.push([...run.mainThread().messages]);
        const text = { type: 'text' as const, text: 'word '.repeat(words) };
        const input = { path: `${sent.length}.txt` };
        const content = calls ? [text, { type: 'tool_use' as const, id: 't', name: 'read', input }] : [text];
        const [inputTokens, cachedInputTokens] = calls
          ? [tokensOf(sent.at(-1) ?? []), tokensOf(sent.at(-1)?.slice(0, -2) ?? [])]
          : [10_000, 9_000];
        const usage = { ...NO_USAGE, inputTokens, cachedInputTokens };
        return { ok: true, value: { content, stopReason: 'end_turn', usage, durationMs: 1 } };
      },
    },
    FEATURES,
  );
  const thread = run.mainThread();
  run.say(thread, 'goal', 'Measure the pool.');
  for (let at = 1; at <= turns; at++) {
    const [reply, result] = callAndResult(run, at, chars);
    if (!calls) for (const message of [reply, result]) run.append(thread, message as Message);
    await callModel(run, role, true);
    const last = thread.messages.at(-1);
    if (!calls || last?.kind !== 'assistant' || result?.kind !== 'tool_result') continue;
    const toolUseId = toolCallsOf(last)[0]?.id ?? '';
    run.append(thread, { ...result, content: [{ ...result.content[0], toolUseId }] });
  }
  return { changes: thread.epoch, sent };
}

const tokensOf = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

/** Tokens sent, and their price: what the request before began with costs a tenth. */
function costOf(sent: readonly Message[][]) {
  const cached = sent.map((messages, at) => {
    const differs = messages.findIndex((message, place) => message !== sent[at - 1]?.[place]);
    return tokensOf(messages.slice(0, differs < 0 ? messages.length : differs));
  });
  const tokens = sent.map(tokensOf);
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  return { tokens: sum(tokens), price: sum(tokens) - 0.9 * sum(cached) };
}

test('X2: results that nothing goes back to, far below the limit → left out together once sending them on costs as much', async () => {
  const { changes, sent } = await manyTurns({ turns: 40, calls: true, contextTokens: 400_000 });
  const all = await manyTurns({ turns: 40, calls: true, contextTokens: 400_000, softTokens: 160_000 });
  expect([changes, all.changes]).toEqual([1, 0]);
  const [less, whole] = [costOf(sent), costOf(all.sent)];
  expect(less.tokens).toBeLessThan(0.85 * whole.tokens);
  expect(less.price).toBeLessThan(0.95 * whole.price);
});

test('X2: the same in a short conversation, or while few replies have been → they stay', async () => {
  expect(await manyTurns({ turns: 40, calls: true, chars: 1_200, contextTokens: 400_000 })).toMatchObject({
    changes: 0,
  });
  expect(await manyTurns({ turns: 10, calls: true, chars: 20_000, contextTokens: 400_000 })).toMatchObject({
    changes: 0,
  });
});

test.each([
  ['results of 4 KB beside short replies', 4_000, 40],
  ['results of 400 characters, which stay', 400, 300],
])(
  'SE3: 600 turns with %s → at most 40 changes of the conversation, whatever breaks the cache',
  async (_what, chars, words) => {
    const { changes } = await manyTurns({ turns: 600, chars, words, contextTokens: 128_000 });
    expect(changes).toBeGreaterThan(0);
    expect(changes).toBeLessThanOrEqual(40);
  },
);
