/** A conversation that is summarised before a call, and what follows where no summary comes about. */

import { expect, test } from 'vitest';
import type { CallModelInput, CallModelResult, MomentInput } from '../../../../src/activities/types.js';
import { FEATURES } from '../../../../src/compose.js';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import { type Message, NO_USAGE, textOf } from '../../../../src/run/messages/message.js';
import { executionAt, wrapUpAt } from '../../../../src/run/position/position.js';
import { newGoal } from '../../../../src/run/state/goal.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { recallTool } from '../../../../src/shared/store/recall.js';
import { keepSession } from '../../../../src/workflows/run/keep-session.js';
import type { Called, CallOptions, Ports } from '../../../../src/workflows/run/ports.js';
import { modelRequestPage } from '../../../../src/workflows/run/requests.js';
import { Run } from '../../../../src/workflows/run/run.js';
import { callModel } from '../../../../src/workflows/turn/call-model.js';
import { modelFacts, pinnedRun } from '../../../support/core-values.js';
import { quietPorts, testRole } from '../../../support/small-run.js';

const SUMMARY = JSON.stringify({ facts: [{ fact: 'The pool is 7 m long', source: 'a.txt' }] });
const says = (text: string, more: Partial<CallModelResult> = {}): Called<CallModelResult> => {
  const usage = { ...NO_USAGE, inputTokens: 100, outputTokens: 10 };
  const content = [{ type: 'text' as const, text }];
  return { ok: true, value: { content, stopReason: 'end_turn', usage, durationMs: 1, ...more } };
};
const fails = (type: string): Called<CallModelResult> => {
  return { ok: false, failure: { kind: 'application', type, message: 'It failed.' } };
};

/** A role with twenty long replies behind it, of which a summary takes the place of most. */
function longRun(
  replies: Called<CallModelResult>[],
  {
    contextTokens = 100_000,
    own = {},
    sentTokens = 2_000_000,
    ports = {},
    slow = () => {},
  }: {
    contextTokens?: number;
    own?: { model?: string };
    sentTokens?: number;
    ports?: Partial<Ports>;
    slow?: () => void;
  } = {},
) {
  const role = testRole('executor', { tools: [], prompt: 'Execute.' });
  const state = newRunState('Measure the pool.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  const info = modelFacts(contextTokens, true);
  state.pinned = pinnedRun({
    ...{ keeps: true, context: { softTokens: 5_000, compacts: own }, tools: [recallTool] },
    ...{
      roles: { executor: role },
      models: ['p/a'],
      modelTimeoutMs: 300_000,
      modelInfo: { 'p/a': info, 'p/cheap': info },
    },
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  state.total.turns = 20;
  // What the goal has sent so far: else a summary would be too dear.
  state.goal.usage = { ...NO_USAGE, inputTokens: sentTokens };
  const asked: { model: string; head: unknown; messages: Message[]; options: CallOptions }[] = [];
  const run: Run = new Run(
    state,
    {
      ...quietPorts([]),
      callModel: async ({ callId, model }: CallModelInput, options) => {
        const { head, messages } = modelRequestPage(state, callId);
        asked.push({ model, head, messages, options });
        slow();
        return replies.shift() ?? says('Done.');
      },
      ...ports,
    },
    FEATURES,
  );
  const thread = run.mainThread();
  run.say(thread, 'role', 'Execute.', { role: 'executor' });
  run.say(thread, 'goal', 'Measure the pool.');
  for (let at = 1; at <= 20; at++) {
    run.append(thread, {
      ...{ id: run.nextId('m'), at, kind: 'assistant', role: 'executor', model: 'p/a', usage: NO_USAGE },
      ...{ stopReason: 'end_turn', action: 'executing' },
      content: [{ type: 'text', text: `Step ${at}. ${'word '.repeat(300)}` }],
    });
  }
  run.say(thread, 'instruction', 'Do it now.');
  const told = () =>
    state.log.journal.events.map(({ type }) => type).filter(type => /compact|trimmed/.test(type));
  const texts = () => thread.messages.map(message => textOf(message).slice(0, 12).trim());
  return { run, role, state, thread, asked, told, texts, call: () => callModel(run, role, true) };
}

test('X5: too long → the same request with one more message, as text, without its tools; then the work goes on', async () => {
  const { call, asked, thread, told, texts, state } = longRun([says(SUMMARY)]);
  const before = thread.tokens;
  expect(await call()).toEqual({ kind: 'again' });
  expect(told()).toEqual(['compaction_started', 'thread_compacted']);
  expect(asked[0]?.head).toMatchObject({ output: 'text', toolChoice: 'none', streaming: false });
  expect(asked[0]?.messages).toHaveLength(24);
  // Prompt, goal, the newest and what is wanted now stay; the summary stands where the oldest stood.
  expect(texts().slice(0, 3)).toEqual(['Execute.', 'Measure the', '[To save roo']);
  expect(texts().slice(-2)).toEqual(['Step 20. wor', 'Do it now.']);
  const summary = thread.messages[2];
  const gone = asked[0]?.messages.filter(each => !thread.messages.includes(each)).map(({ id }) => id) ?? [];
  expect(summary).toMatchObject({ purpose: 'summary', replaces: [{ ids: gone.slice(0, -1) }] });
  expect(thread.tokens).toBeLessThan(before / 2);
  const sum = thread.messages.reduce((all, message) => all + JSON.stringify(message).length, 0);
  expect(sum).toBeLessThan(before * 4);
  expect(state.total).toMatchObject({ turns: 20, usage: { inputTokens: 100 } });
  expect(state.total.usageBy).toMatchObject([{ role: 'compactor', calls: 1 }]);
  expect(await call()).toMatchObject({ kind: 'message', text: 'Done.' });
  expect(asked).toHaveLength(2);
});

test('X6: a second summary → it counts all messages that have given way, with those of the first', async () => {
  const { run, call, thread } = longRun([says(SUMMARY), says('Done.'), says(SUMMARY)]);
  const counts = () =>
    thread.messages.flatMap(message => (message.kind === 'user' ? (message.standsFor ?? []) : []));
  await call();
  const [first = 0] = counts();
  await call();
  const before = thread.messages.length;
  run.say(thread, 'instruction', 'word '.repeat(6_000));
  const stays = run.say(thread, 'instruction', 'Go on.');
  await call();
  const [second = 0, ...others] = counts();
  expect([first > 10, others]).toEqual([true, []]);
  // The first summary is none of them.
  const gone = before + 2 - (thread.messages.length - 1);
  expect(second).toBe(first + gone - 1);
  expect(thread.messages).toContain(stays);
  expect(textOf(thread.messages.find(each => each.kind === 'user' && each.standsFor) as Message)).toContain(
    `${second} earlier message(s)`,
  );
});

test('X6: it is cut off at its end → asked for once more as too long, in words', async () => {
  const { call, asked, told } = longRun([says('{"fa', { stopReason: 'max_tokens' }), says(SUMMARY)]);
  await call();
  expect(textOf(asked[1]?.messages.at(-1) ?? { content: [] })).toContain('at most about 1,000 words');
  expect(told()).toEqual(['compaction_started', 'thread_compacted']);
});

test('X5: a model for summaries → it writes them; one that takes less than there is → that of the role', async () => {
  const cheap = longRun([says(SUMMARY)], { own: { model: 'p/cheap' } });
  await cheap.call();
  expect(cheap.asked.map(({ model }) => model)).toEqual(['p/cheap']);
  const small = longRun([says(SUMMARY)], { own: { model: 'p/cheap' } });
  small.run.pinned.modelInfo['p/cheap'] = modelFacts(4_000, true);
  await small.call();
  expect(small.asked.map(({ model }) => model)).toEqual(['p/a']);
});

test('X6: it is no summary → asked for once more, with what is wrong; then it is', async () => {
  const { call, asked, told, texts } = longRun([says('I will not.'), says(SUMMARY)]);
  await call();
  expect(told()).toEqual(['compaction_started', 'thread_compacted']);
  expect(textOf(asked[1]?.messages.at(-1) ?? { content: [] })).toContain('one complete JSON object');
  expect(texts()).not.toContain('I will not.');
});

test.each<[string, Called<CallModelResult>[]]>([
  ['none of two is a summary', [says('No.'), says('No.')]],
  ['the call fails', [fails(FAILURE.model.overloaded)]],
  ['the model declines', [says('No.', { stopReason: 'refusal' })]],
])(
  'X8, LL1: %s → as it was, word for word, and none is asked for any more in this goal',
  async (_what, replies) => {
    const { call, run, state, thread, told, texts } = longRun(replies);
    const before = texts();
    const epoch = thread.epoch;
    expect(await call()).toEqual({ kind: 'again' });
    expect([told(), texts()]).toEqual([['compaction_started', 'compaction_failed'], before]);
    expect(thread.epoch).toBeGreaterThan(epoch);
    expect(await call()).toMatchObject({ kind: 'message', text: 'Done.' });
    run.say(thread, 'instruction', 'word '.repeat(9_000));
    expect(await call()).toMatchObject({ kind: 'message', text: 'Done.' });
    expect(told()).toHaveLength(2);
    // The next goal begins anew.
    const { usage } = state.goal;
    state.goal = { ...newGoal(2, 'Next.', state.goal), usage };
    expect(await call()).toEqual({ kind: 'again' });
  },
);

test('LL1: a summary that is longer than most of what it stands for → it is not taken, and none is asked for any more', async () => {
  const long = JSON.stringify({ goals: ['Measure.'], facts: [{ fact: 'word '.repeat(2_900), source: '' }] });
  const { call, told, texts, state } = longRun([says(long)], { contextTokens: 30_000 });
  state.pinned?.context && Object.assign(state.pinned.context, { softTokens: 7_500 });
  const before = texts();
  await call();
  expect(await call()).toMatchObject({ kind: 'message', text: 'Done.' });
  expect([told(), texts().slice(0, before.length)]).toEqual([
    ['compaction_started', 'compaction_failed'],
    before,
  ]);
  expect(state.log.journal.events.find(({ type }) => type === 'compaction_failed')).toMatchObject({
    why: expect.stringContaining('it is too long'),
  });
});

test('LL1: a goal that has sent too little for a summary → the conversation is cut where the model takes no more, and that is said', async () => {
  const { call, told, state } = longRun([], { contextTokens: 6_000, sentTokens: 50_000 });
  expect(await call()).toMatchObject({ kind: 'message', text: 'Done.' });
  expect(told()).toEqual(['thread_trimmed']);
  expect(state.log.journal.events.find(({ type }) => type === 'thread_trimmed')).toMatchObject({
    why: expect.stringContaining('a summary would cost more than a tenth'),
  });
});

test.each([
  ['its transforms have no summary', { transforms: ['trim'] }],
  ['those of the role have none', { roleTransforms: { executor: ['thin'] } }],
])('LL1: a conversation is cut, and %s → no summary is named as the reason', async (_what, lists) => {
  const { call, run, state } = longRun([], { contextTokens: 6_000, sentTokens: 50_000 });
  Object.assign(run.pinned.context ?? {}, lists);
  await call();
  expect(state.log.journal.events.find(({ type }) => type === 'thread_trimmed')).toMatchObject({
    why: 'context window',
  });
});

test('LL1: the model for summaries is too dear, that of the role is not → that of the role is asked, and one that was too dear ends nothing', async () => {
  const { call, run, role, state, asked, told } = longRun([says(SUMMARY)], {
    own: { model: 'p/cheap' },
    sentTokens: 300_000,
  });
  role.maxOutputTokens = 16_384;
  run.pinned.modelInfo['p/a'] = { ...modelFacts(100_000, true), maxOutputTokens: 1_000 };
  expect(await call()).toEqual({ kind: 'again' });
  expect(asked.map(({ model }) => model)).toEqual(['p/a']);
  expect(told()).toEqual(['compaction_started', 'thread_compacted']);
  expect(state.goal.summaries).toEqual({ tokens: 110, ended: false });
});

test.each([
  [400_000, 1],
  [800_000, 2],
])(
  'LL1: the goal has sent %i tokens → the call of a summary is made in %i tries at most',
  async (sentTokens, tries) => {
    const { call, asked } = longRun([says(SUMMARY)], { sentTokens });
    await call();
    expect(asked[0]?.options.attempts).toBe(tries);
  },
);

test('LL1: a worker is lost in a summary → its tokens count, and it is tried again while the goal can pay for it', async () => {
  const lost: Called<CallModelResult> = { ok: false, failure: { kind: 'lost', type: '', message: '' } };
  const { call, told, state } = longRun([lost, lost], { sentTokens: 600_000 });
  expect(await call()).toEqual({ kind: 'again' });
  expect(state.goal.summaries?.tokens).toBeGreaterThan(8_000);
  expect(await call()).toMatchObject({ kind: 'again' });
  expect(await call()).toMatchObject({ kind: 'message', text: 'Done.' });
  expect(told()).toEqual(Array(2).fill(['compaction_started', 'compaction_failed']).flat());
  expect(state.goal.summaries?.ended).toBe(false);
});

test('LL1: a summary → its tokens are charged with its reply, and hooks hear of it as of any', async () => {
  const told: MomentInput[] = [];
  const tell: Ports['tell'] = async input => {
    told.push(input);
    return { ok: true, value: { goOn: true } };
  };
  const { call, run } = longRun([says(SUMMARY)], { ports: { tell } });
  run.pinned.hooks = ['onTurnEnd'];
  await call();
  expect(told).toMatchObject([{ at: 'turn', role: 'compactor', usage: { inputTokens: 100 } }]);
  expect(told[0]?.key).toMatch(/-turn-20-m\d+$/);
});

test('LL1: a person interrupts a summary → no hook hears of it, as of any reply that was interrupted', async () => {
  const told: MomentInput[] = [];
  const tell: Ports['tell'] = async input => {
    told.push(input);
    return { ok: true, value: { goOn: true } };
  };
  const { call, run } = longRun([says('{"fa', { stopReason: 'interrupted' })], { ports: { tell } });
  run.pinned.hooks = ['onTurnEnd'];
  await call();
  expect(told).toEqual([]);
});

test('X8: it fails, and the model takes no more → what there is is trimmed; goal and prompt stay', async () => {
  const { call, told, texts } = longRun([fails(FAILURE.model.overloaded)], { contextTokens: 6_000 });
  await call();
  expect(await call()).toMatchObject({ kind: 'message', text: 'Done.' });
  expect(told()).toEqual(['compaction_started', 'compaction_failed', 'thread_trimmed']);
  expect(texts()).toEqual(expect.arrayContaining(['Execute.', 'Measure the', 'Do it now.']));
});

test('X5: a person interrupts it → nothing is said of it, and it is tried again at once', async () => {
  const { call, told } = longRun([says('{"fa', { stopReason: 'interrupted' }), says(SUMMARY)]);
  await call();
  await call();
  expect(told()).toEqual([
    'compaction_started',
    'compaction_failed',
    'compaction_started',
    'thread_compacted',
  ]);
});

test('X2: a limit of the role itself → it is the one by which it is summarised', async () => {
  const longer = longRun([]);
  longer.run.pinned.context = { softTokens: 5_000, compacts: {}, roles: { executor: 50_000 } };
  expect(await longer.call()).toMatchObject({ kind: 'message' });
  const shorter = longRun([says(SUMMARY)]);
  shorter.run.pinned.context = { softTokens: 50_000, compacts: {}, roles: { executor: 5_000 } };
  expect(await shorter.call()).toEqual({ kind: 'again' });
  expect([longer.told(), shorter.told()]).toEqual([[], ['compaction_started', 'thread_compacted']]);
});

test('X5: the wrap-up → no summary, for what the goal has left is for the answer', async () => {
  const { call, state, told } = longRun([]);
  state.cursor.position = wrapUpAt(1, { cause: 'budget:tokens', why: 'limit' });
  expect(await call()).toMatchObject({ kind: 'message' });
  expect(told()).toEqual([]);
});

test('X5: the model for summaries is out → it is not asked', async () => {
  const { call, asked, state } = longRun([says(SUMMARY)], { own: { model: 'p/cheap' } });
  state.models.out = { 'p/cheap': FAILURE.model.badRequest };
  await call();
  expect(asked.map(({ model }) => model)).toEqual(['p/a']);
});

test('X5: before a summary → what gives way is kept, up to the newest of it', async () => {
  const order: string[] = [];
  const keep: Ports['keep'] = async ({ upTo }) => {
    order.push(`keep ${upTo.id}`);
    return { ok: true, value: null };
  };
  const { call, state } = longRun([says(SUMMARY)], { ports: { keep }, slow: () => order.push('ask') });
  const newest = state.lastId;
  await call();
  expect(order).toEqual([`keep ${newest}`, 'ask']);
});

test('X3: the endpoint has nearly all in its cache, and few turns have been → no summary, for it would not pay', async () => {
  const usage = { ...NO_USAGE, inputTokens: 100_000, cachedInputTokens: 98_000, outputTokens: 10 };
  const cached = longRun([says('Done.', { usage }), says(SUMMARY)]);
  const full = longRun([says('Done.', { usage: { ...usage, cachedInputTokens: 0 } }), says(SUMMARY)]);
  for (const { run, state, call } of [cached, full]) {
    const { context } = run.pinned;
    // The first call says what the cache has.
    delete run.pinned.context;
    await call();
    if (context) run.pinned.context = context;
    state.total.turns = 5;
    await call();
  }
  expect([cached.told(), full.told()]).toEqual([[], ['compaction_started', 'thread_compacted']]);
});

test('X5: a run that earlier code began → no summary', async () => {
  const { call, run, told } = longRun([]);
  run.pinned.context = { softTokens: 5_000 };
  expect(await call()).toMatchObject({ kind: 'message' });
  expect(told()).toEqual([]);
});

/** A store that is away until the clock of the run says that it is back. */
function storeAway() {
  const store = { now: 1_000, away: true };
  const failure = { kind: 'application' as const, type: '', message: 'no space left' };
  const keep: Ports['keep'] = async () => (store.away ? { ok: false, failure } : { ok: true, value: null });
  return { store, ports: { keep, now: () => store.now } };
}

test('X8: the store does not take what is said → no message gives way; it takes it again → they do', async () => {
  const { store, ports } = storeAway();
  const { call, run, told, texts } = longRun([says('Done.'), says(SUMMARY)], { ports });
  const before = texts();
  expect(await call()).toEqual({ kind: 'again' });
  expect(await call()).toMatchObject({ kind: 'message', text: 'Done.' });
  expect([told(), texts()]).toEqual([[], [...before, 'Done.']]);
  store.away = false;
  await keepSession(run);
  await call();
  expect(told()).toEqual(['compaction_started', 'thread_compacted']);
});

test('X8: the store is away and the model takes no more → a summary all the same, for else a part is cut', async () => {
  const { call, told } = longRun([says(SUMMARY)], { ports: storeAway().ports, contextTokens: 6_000 });
  await call();
  expect(told()).toEqual(['compaction_started', 'thread_compacted']);
});

test('X8: a summary is waited for 60 s at most in two tries, with the one that is asked for again', async () => {
  let now = 1_000;
  const { call, asked, told } = longRun([], {
    ports: { now: () => now },
    slow: () => {
      now += 45_000;
    },
  });
  await call();
  expect(asked.map(({ options }) => [options.timeoutMs, options.wholeMs, options.attempts])).toEqual([
    [60_000, 60_000, 2],
    [15_000, 15_000, 2],
  ]);
  expect(told()).toEqual(['compaction_started', 'compaction_failed']);
});

test.each<[string, Called<CallModelResult>[]]>([
  ['refuses it as too long', [fails(FAILURE.model.contextTooLong)]],
  ['gives none of two', [says('No.'), says('No.')]],
])('X5: the model for summaries %s → that of the role writes it', async (_what, replies) => {
  const { call, asked, told } = longRun([...replies, says(SUMMARY)], { own: { model: 'p/cheap' } });
  await call();
  expect(asked.at(-1)?.model).toBe('p/a');
  // What the first was asked stays its own.
  expect(asked.at(-1)?.messages).toHaveLength(asked[0]?.messages.length ?? 0);
  const each = ['compaction_started', 'compaction_failed', 'compaction_started', 'thread_compacted'];
  expect(told()).toEqual(each);
});

test('X5: a person interrupts the model for summaries → no other is asked', async () => {
  const { call, asked } = longRun([says('{"fa', { stopReason: 'interrupted' })], {
    own: { model: 'p/cheap' },
  });
  await call();
  expect(asked).toHaveLength(1);
});
