/** What a run begins with of its conversation. */
import { expect, test } from 'vitest';
import { earlierMessages, noAnswerOf, renamed } from '../../../src/conversation/earlier.js';
import { toolResult } from '../../../src/conversation/tool-result.js';
import {
  type AssistantMessage,
  type Message,
  NO_USAGE,
  textOf,
  toolCallsOf,
  type UserMessage,
} from '../../../src/run/messages/message.js';
import type { RunRecord } from '../../../src/run/state/stored-line.js';

const user = (id: string, text: string, purpose: UserMessage['purpose'] = 'goal'): Message => {
  return { id, at: 1, kind: 'user', purpose, content: [{ type: 'text', text }] };
};
const reply = (id: string, text: string, ...calls: string[]): AssistantMessage => ({
  ...{ id, at: 1, kind: 'assistant', role: 'react', model: 'a/b', usage: NO_USAGE },
  ...{ stopReason: 'end_turn', action: 'answering' },
  content: [
    { type: 'text', text },
    ...calls.map(call => ({ type: 'tool_use' as const, id: call, name: 'look', input: {} })),
  ],
});
const result = (id: string, call: string, text = 'seen'): Message => ({
  ...{ id, at: 1, kind: 'tool_result' },
  content: [
    toolResult({ id: call, name: 'look' }, 'executed', { content: [{ type: 'text', text }], isError: false }),
  ],
});
const MUCH = { tokens: 100_000, bytes: 400_000 };
const idsOf = (messages: readonly Message[]) => messages.map(({ from }) => `${from?.chain} ${from?.id}`);
const one = (messages: Message[], answer: string | null = null) => ({ chain: 'a', answer, messages });

test.each<[string, Message[], string[]]>([
  [
    'prompts and notes are said anew',
    [user('m1', 'p', 'role'), user('m2', 'g'), user('m3', 'n', 'notes')],
    ['a m2'],
  ],
  [
    'results follow their reply',
    [user('m1', 'g'), reply('m2', 'x', 'c1', 'c2'), result('m3', 'c1'), result('m4', 'c2')],
    ['a m1', 'a m2', 'a m3', 'a m4'],
  ],
  ['a call without its result is left out', [user('m1', 'g'), reply('m2', 'x', 'c1')], ['a m1', 'a m2']],
  ['a result without its call is left out', [user('m1', 'g'), result('m2', 'c9')], ['a m1']],
])('a run of the conversation: %s', (_what, messages, ids) => {
  const earlier = earlierMessages([one(messages)], MUCH);
  expect(idsOf(earlier)).toEqual(ids);
  const calls = earlier.flatMap(message => (message.kind === 'assistant' ? toolCallsOf(message) : []));
  expect(calls).toHaveLength(earlier.filter(({ kind }) => kind === 'tool_result').length);
});

test('an answer that no reply holds, made of the output of a role → it comes after what was said', () => {
  const said = earlierMessages([one([user('m1', 'g'), reply('m2', '{"report": 1}')], 'The answer.')], MUCH);
  expect(said.at(-1)).toMatchObject({ kind: 'user', purpose: 'answer', content: [{ text: 'The answer.' }] });
  expect(earlierMessages([one([reply('m2', 'Well: The answer.')], 'The answer.')], MUCH)).toHaveLength(1);
});

const EMPTY: Message[] = [
  user('m1', 'g'),
  user('m2', ' ', 'steer'),
  reply('m3', ''),
  { ...reply('m4', ''), content: [] },
  { ...reply('m5', ''), content: [{ type: 'reasoning', text: 'Hm.' }] },
];

test.each<[string, Pick<RunRecord, 'outcome' | 'answer'>, string[]]>([
  ['failed without a word', { outcome: 'failed', answer: '' }, ['g', 'NO ANSWER']],
  [
    'failed with a part of an answer',
    { outcome: 'failed', answer: 'A part.' },
    ['g', 'A part.', 'NO ANSWER'],
  ],
  ['was stopped before its first word', { outcome: 'stopped', answer: ' \n' }, ['g', 'NO ANSWER']],
  ['was cancelled', { outcome: 'cancelled', answer: null }, ['g', 'NO ANSWER']],
  ['has answered', { outcome: 'answered', answer: 'Yes.' }, ['g', 'Yes.']],
  ['is open, or its end is not known', { outcome: null, answer: null }, ['g']],
])(
  'LL5: a run that %s → no empty message, and its goal is marked as without an answer: %o → %o',
  (_what, end, texts) => {
    const run = { ...one(EMPTY, end.answer), noAnswer: noAnswerOf(end, { noAnswer: 'NO ANSWER' }) };
    expect(earlierMessages([run], MUCH).map(textOf)).toEqual(texts);
  },
);

test('more than there is room for → the newest groups, whole, after the goal that they are about', () => {
  const long = 'x '.repeat(2_000);
  const messages = [
    user('m1', 'old'),
    reply('m2', 'old answer'),
    user('m3', 'goal'),
    reply('m4', long, 'c1'),
    result('m5', 'c1', long),
    reply('m6', 'short', 'c2'),
    result('m7', 'c2'),
  ];
  expect(idsOf(earlierMessages([one(messages)], { ...MUCH, tokens: 500 }))).toEqual(['a m3', 'a m6', 'a m7']);
  expect(idsOf(earlierMessages([one(messages)], { ...MUCH, bytes: 900 }))).toEqual(['a m3', 'a m6', 'a m7']);
  expect(idsOf(earlierMessages([one(messages)], MUCH))).toHaveLength(7);
});

test('under ids of the run that begins with them → every call still has its result, also where two runs had the same ids', () => {
  const messages = [user('m1', 'g'), reply('m2', 'x', 'c1'), result('m3', 'c1')];
  const earlier = earlierMessages([one(messages), { ...one(messages), chain: 'b' }], MUCH);
  let last = 0;
  const own = renamed(earlier, prefix => `${prefix}${++last}`);
  const calls = own.flatMap(message =>
    message.kind === 'assistant' ? toolCallsOf(message).map(({ id }) => id) : [],
  );
  const results = own.flatMap(message =>
    message.kind === 'tool_result' ? [message.content[0].toolUseId] : [],
  );
  expect([calls, new Set(calls).size]).toEqual([results, 2]);
  expect(new Set(own.map(({ id }) => id)).size).toBe(6);
});

/** As the store has it: by number, the summary last, though it stood in the place of the first that it replaced. */
const summarised = (ids: string[]): Message => ({
  ...(user('m9', 'SUMMARY', 'summary') as UserMessage),
  replaces: [{ ids }],
});
const SUMMARISED = [
  user('m1', 'Publish the report.'),
  reply('m2', 'turn 1', 'c1'),
  result('m3', 'c1'),
  user('m6', 'Never touch prod.db.', 'steer'),
  reply('m7', 'the newest turn'),
  summarised(['m2', 'm3']),
  reply('m10', 'done'),
];

test('X6, Z2: a summary → goal, steering and the turns that stayed are there, and it stands where the first of those stood that it replaced', () => {
  expect(idsOf(earlierMessages([one(SUMMARISED)], MUCH))).toEqual(['a m1', 'a m9', 'a m6', 'a m7', 'a m10']);
  // It is said of other ids in the run that begins with it.
  const own = renamed(earlierMessages([one(SUMMARISED)], MUCH), prefix => `${prefix}1`);
  expect(own.some(message => 'replaces' in message)).toBe(false);
});

test('X6: a summary of a summary, and of what was said in runs before, answers too → each of those is gone', () => {
  const next = [
    user('m1', 'Publish it again.'),
    reply('m2', 'again'),
    {
      ...(user('m5', 'SUMMARY 2', 'summary') as UserMessage),
      replaces: [{ chain: 'a', ids: ['m9', 'm7', 'answer'] }, { ids: ['m2'] }],
    },
    reply('m6', 'done again'),
  ];
  const runs = [one(SUMMARISED, 'made of roles'), { chain: 'b', answer: null, messages: next }];
  expect(idsOf(earlierMessages(runs, MUCH))).toEqual(['a m1', 'b m5', 'a m6', 'a m10', 'b m1', 'b m6']);
});

test('X6: less room than there is → goal, summary and steering before the newest; one that does not fit → the newest without it', () => {
  const long = [
    ...SUMMARISED,
    ...Array.from({ length: 9 }, (_, at) => reply(`m${at + 11}`, 'x '.repeat(200))),
  ];
  expect(idsOf(earlierMessages([one(long)], { ...MUCH, tokens: 400 }))).toEqual([
    ...['a m1', 'a m9', 'a m6', 'a m17', 'a m18', 'a m19'],
  ]);
  const huge = SUMMARISED.map(each => (each.id === 'm9' ? user('m9', 'x '.repeat(4_000), 'summary') : each));
  expect(idsOf(earlierMessages([one(huge)], { ...MUCH, tokens: 400 }))).toContain('a m10');
});

test('X7: ids of messages by which more is read, in a summary, a note and a call → with the run that they are of', () => {
  const facts = 'Facts:\n- It holds m2 and m3';
  const summary = `${facts} (recall {"id":"m7"})\n\nReferences:\n- m12, m3, z/m4, s.m4.\n- m5.\n</summary>`;
  const noted = result('m3', 'c1');
  if (noted.kind === 'tool_result') noted.content[0].note = 'recall reads it, id "m2".';
  const asks = reply('m4', 'x m9', 'c2');
  const recalls = (id: string) =>
    asks.content.map(block =>
      block.type === 'tool_use' ? { ...block, name: 'recall', input: { id } } : block,
    );
  const messages = [
    ...[user('m0', summary, 'summary'), user('m1', 'g: "m3"'), reply('m2', 'x', 'c1'), noted],
    ...[{ ...asks, content: recalls('m2') }, result('m5', 'c2')],
  ];
  const [told, goal, , seen, asked] = earlierMessages([one(messages)], MUCH);
  expect(told?.content).toEqual([
    {
      type: 'text',
      text: `${facts} (recall {"id":"a/m7"})\n\nReferences:\n- a/m12, a/m3, z/m4, s.m4.\n- a/m5.\n</summary>`,
    },
  ]);
  // What a person says stays as it was said.
  expect(goal?.content).toEqual([{ type: 'text', text: 'g: "m3"' }]);
  expect(seen?.content).toMatchObject([{ note: 'recall reads it, id "a/m2".' }]);
  expect(asked?.content).toMatchObject([{ text: 'x m9' }, { input: { id: 'a/m2' } }]);
  // Of no run: a client gave them.
  const given = earlierMessages([{ chain: '', answer: null, messages }], MUCH);
  expect(given[3]?.content).toMatchObject([{ note: 'recall reads it, id "m2".' }]);
});
