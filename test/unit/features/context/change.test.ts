/** What a function of the program may change of a conversation, whatever it says: pairs stay pairs, and anchors stay. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { contentText, toolResult } from '../../../../src/conversation/tool-result.js';
import { CHANGE_BYTES, type ContextChange, readChange } from '../../../../src/conversation/transform.js';
import { applyChange } from '../../../../src/features/context/change.js';
import { transformsOf } from '../../../../src/features/context/pays.js';
import { isBuiltInTransform } from '../../../../src/run/limits/context-rules.js';
import { type Message, NO_USAGE, textOf, type UserMessage } from '../../../../src/run/messages/message.js';
import { pairingFaults } from '../../../support/pairing.js';
import { propertyRuns } from '../../../support/property-runs.js';

const user = (id: string, text: string, purpose: UserMessage['purpose']): UserMessage => {
  return { id, at: 1, kind: 'user', purpose, content: [{ type: 'text', text }] };
};
const reply = (id: string, text: string, ...calls: string[]): Message => ({
  ...{ id, at: 1, kind: 'assistant', role: 'react', model: 'a/b', usage: NO_USAGE },
  ...{ stopReason: 'end_turn', action: 'answering' },
  content: [
    { type: 'text', text },
    ...calls.map(call => ({ type: 'tool_use' as const, id: call, name: 'look', input: {} })),
  ],
});
const result = (id: string, call: string): Message => ({
  ...{ id, at: 1, kind: 'tool_result' },
  content: [
    toolResult({ id: call, name: 'look' }, 'executed', {
      content: [{ type: 'text', text: 'x'.repeat(900) }],
    }),
  ],
});
const THREAD: Message[] = [
  { ...user('m1', 'You are react.', 'role'), role: 'react' },
  user('m2', 'old goal', 'goal'),
  reply('m3', 'looking', 'c1', 'c2'),
  result('m4', 'c1'),
  result('m5', 'c2'),
  reply('m6', 'old answer'),
  user('m7', 'the goal', 'goal'),
  user('m8', 'in French', 'steer'),
  reply('m9', 'once more', 'c3'),
  result('m10', 'c3'),
  user('m11', 'in JSON, please', 'reask'),
];

function apply(change: ContextChange) {
  const read = readChange(change);
  if (!read.ok) throw new Error(read.errors.join(' '));
  let said = 0;
  const say = (text: string) => user(`n${++said}`, text, 'context');
  return applyChange(THREAD, read.value, { taskId: null, recalls: true, words: BUILT_IN_WORDS.en, say });
}
const ids = ({ messages }: { messages: Message[] }) => messages.map(({ id }) => id).join(' ');
const ALL = 'm1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11';

test.each<[string, ContextChange, string, object]>([
  ['nothing', {}, ALL, { leftOut: 0, replaced: 0, added: 0, refused: 0 }],
  ['a reply with calls', { leaveOut: ['m3'] }, 'm1 m2 m6 m7 m8 m9 m10 m11', { leftOut: 3, refused: 0 }],
  ['a result alone', { leaveOut: ['m4'] }, ALL, { leftOut: 0, replaced: 1, lost: ['m4'] }],
  ['an old goal', { leaveOut: ['m2'] }, 'm1 m3 m4 m5 m6 m7 m8 m9 m10 m11', { leftOut: 1 }],
  ['the prompt', { leaveOut: ['m1'] }, ALL, { refused: 1 }],
  [
    'the goal at hand',
    { leaveOut: ['m7'], replace: [{ id: 'm7', text: 'another' }] },
    ALL,
    { refused: 2, replaced: 0 },
  ],
  ['what a person said', { replace: [{ id: 'm8', text: 'in Latin' }] }, ALL, { refused: 1, replaced: 0 }],
  ['the reply whose calls are answered last', { leaveOut: ['m9'] }, ALL, { refused: 1 }],
  ['what no reply has answered', { leaveOut: ['m11'] }, ALL, { refused: 1 }],
  ['what nobody said', { leaveOut: ['m99'] }, ALL, { refused: 1 }],
  ['a text', { replace: [{ id: 'm6', text: 'short' }] }, ALL, { replaced: 1 }],
  ['a text, by the same', { replace: [{ id: 'm6', text: 'old answer' }] }, ALL, { replaced: 0 }],
  ['a note at the end', { add: [{ text: 'Note.' }] }, `${ALL} n1`, { added: 1 }],
  [
    'a note amid calls',
    { add: [{ text: 'Note.', after: 'm3' }] },
    'm1 m2 m3 m4 m5 n1 m6 m7 m8 m9 m10 m11',
    { added: 1 },
  ],
  ['a blank note', { add: [{ text: ' ' }] }, ALL, { added: 0 }],
])('X1: %s → what may be is done', (_what, change, left, counts) => {
  const changed = apply(change);
  expect([ids(changed), changed]).toEqual([left, expect.objectContaining(counts)]);
});

test('X1: another text for a goal, a reply and a result → its calls stay, and so does how it ended', () => {
  const { messages } = apply({
    replace: [
      { id: 'm2', text: 'a goal' },
      { id: 'm3', text: 'seen' },
      { id: 'm5', text: '7 m' },
    ],
  });
  const [, goal, said, , measured] = messages;
  expect(goal).toEqual(user('m2', 'a goal', 'goal'));
  expect(said && [textOf(said), said.content.length]).toEqual(['seen', 3]);
  const [block] = measured?.kind === 'tool_result' ? measured.content : [];
  expect(block && [contentText(block.content), block.ending, block.toolUseId]).toEqual([
    '7 m',
    'executed',
    'c2',
  ]);
});

test('X1, X8: any change → calls have their results; prompt, goal at hand and what people said since stay as they are', () => {
  const id = fc.constantFrom(...ALL.split(' '), 'm99');
  const change = fc.record({
    leaveOut: fc.array(id),
    replace: fc.array(fc.record({ id, text: fc.string() })),
    add: fc.array(fc.record({ text: fc.string(), after: id })),
  });
  fc.assert(
    fc.property(change, wanted => {
      const { messages } = apply(wanted);
      expect(pairingFaults(messages)).toEqual({ open: [], stray: [] });
      expect(messages).toEqual(expect.arrayContaining([0, 6, 7, 8, 10].map(at => THREAD[at])));
      const results = messages.findIndex(({ id: own }) => own === 'm9');
      expect(messages[results + 1]?.id).toBe('m10');
    }),
    { numRuns: propertyRuns(500) },
  );
});

test.each<[string, unknown, RegExp | null]>([
  ['nothing', null, null],
  ['an empty object', {}, null],
  ['a list of messages', [], /must be an object \{ leaveOut/],
  ['ids that are none', { leaveOut: [7] }, /`leaveOut` must be a list of ids/],
  ['a replacement without a text', { replace: [{ id: 'm1' }] }, /`replace` must be/],
  ['an addition of a number', { add: [{ text: 1 }] }, /`add` must be/],
  ['too much', { add: [{ text: 'x'.repeat(CHANGE_BYTES) }] }, /at most 48000 are taken/],
])('a change that is %s → read, or refused with why (X1)', (_what, raw, fault) => {
  const read = readChange(raw);
  if (fault === null) expect(read.ok).toBe(true);
  else expect(read.ok ? '' : read.errors.join(' ')).toMatch(fault);
});

test('transforms: the list of the role, else that of all, else the built-in ones', () => {
  const lists = { transforms: ['own'], roleTransforms: { planner: [] } };
  expect([transformsOf(lists, 'planner'), transformsOf(lists, 'executor')]).toEqual([[], ['own']]);
  expect(transformsOf({}, 'executor').every(isBuiltInTransform)).toBe(true);
});
