/** Messages that a client gives a run to begin with: any JSON is read, judged by path, paired and bounded. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newestWithin, readMessages } from '../../../src/conversation/read-messages.js';
import { readStart } from '../../../src/rules/agents/run-input.js';
import type { Message } from '../../../src/run/messages/message.js';
import { pairingFaults } from '../../support/pairing.js';
import { propertyRuns } from '../../support/property-runs.js';

const user = (text: unknown) => ({ kind: 'user', content: [{ type: 'text', text }] });
const reply = (...content: unknown[]) => ({ kind: 'assistant', content });
const said = (text: string) => ({ type: 'text', text });
const call = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'read', input });
const result = (toolUseId: string, ...content: unknown[]) => ({
  kind: 'tool_result',
  content: [{ type: 'tool_result', toolUseId, toolName: 'read', content }],
});

test.each<[string, unknown, string]>([
  ['no list', { role: 'user' }, '`messages` must be a list of messages, got an object.'],
  ['a wire message', [{ role: 'user', content: 'Hi' }], '`messages[0].kind` must be one of user'],
  ['no blocks', [{ kind: 'user', content: 'Hi' }], '`messages[0].content` must be a list of blocks'],
  ['a number as text', [user('a'), user(7)], '`messages[1].content[0].text` must be a text, got 7.'],
  ['a block of its own', [reply({ type: 'video' })], '`messages[0].content[0].type` must be one of text'],
  ['a call with a text', [reply(call('c1', 'x'))], '`messages[0].content[0].input` must be an object'],
  ['an unknown ending', [{ ...user('a'), purpose: 'role2' }], '`messages[0].purpose` must be one of goal'],
  [
    'a result of nothing',
    [{ kind: 'tool_result', content: [] }],
    '`messages[0].content[0]` must be an object',
  ],
])('messages: %s → refused with the path of the field (Z3)', (_what, raw, fault) => {
  const read = readMessages(raw);
  expect(read.ok ? [] : read.errors).toEqual([expect.stringContaining(fault)]);
  const start = readStart({
    goal: 'go',
    settings: { mode: 'react', workspace: '/w', autoApprove: false },
    messages: raw,
  });
  expect(start.ok ? [] : start.errors).toEqual([expect.stringContaining(fault)]);
});

function read(...raw: unknown[]): Message[] {
  const given = readMessages(raw);
  if (!given.ok) throw new Error(given.errors.join(' '));
  return given.messages;
}

test('messages: calls without results, results without calls, notes of cuts → left out; what repeats an id pairs in order', () => {
  const messages = read(
    { kind: 'cut', content: [said('5 left out')] },
    user('go'),
    reply(said('one'), call('x')),
    result('x', said('first')),
    result('x', said('nobody asked')),
    reply(call('x')),
    result('x', said('second')),
    reply(call('open')),
    reply(said('and'), call('open too')),
  );
  expect(messages.map(({ kind }) => kind)).toEqual([
    ...['user', 'assistant', 'tool_result', 'assistant', 'tool_result', 'assistant'],
  ]);
  expect(pairingFaults(messages)).toEqual({ open: [], stray: [] });
  const results = messages.flatMap(message => (message.kind === 'tool_result' ? message.content : []));
  expect(results.map(({ toolUseId, content }) => [toolUseId, content])).toEqual([
    ['c1', [said('first')]],
    ['c2', [said('second')]],
  ]);
});

test('messages: references of another run → what was shown of them stays, and nothing can be read by them', () => {
  const kept = { ref: 'blob:secret', totalBytes: 90_000, headBytes: 4 };
  const [, , message] = read(
    user('go'),
    reply(call('c')),
    result(
      'c',
      { ...said('head'), ...kept },
      { type: 'image', mimeType: 'image/png', ...kept },
      { type: 'resource', uri: 'file:///a', text: 'b', ...kept },
    ),
  );
  expect(JSON.stringify(message)).not.toContain('blob:');
  expect(message).toMatchObject({
    content: [{ content: [said('head'), said('[image image/png]'), { uri: 'file:///a', text: 'b' }] }],
  });
});

test('messages: more than is taken → the newest, whole, calls with results; and how many there is no room for', () => {
  const long = 'x'.repeat(3_000);
  const messages = read(
    ...[user('old'), reply(said('old answer')), user('new'), reply(call('c')), result('c', said(long))],
    ...[reply(said('the end'))],
  );
  const { messages: fitting, leftOut } = newestWithin(messages, 2_000);
  expect([fitting.map(({ kind }) => kind), leftOut]).toEqual([['user', 'assistant'], 4]);
  expect(newestWithin(messages)).toEqual({ messages, leftOut: 0 });
});

test('messages: any JSON → read or refused, never thrown at; what is read pairs', () => {
  const key = fc.constantFrom('kind', 'content', 'type', 'text', 'toolUseId', 'id', 'input', 'purpose');
  const word = fc.constantFrom('user', 'assistant', 'tool_result', 'text', 'tool_use', 'goal', 'c1');
  const tree = fc.letrec(tie => ({
    any: fc.oneof(
      { maxDepth: 5 },
      word,
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(key, tie('any'), { maxKeys: 5 }),
    ),
  })).any;
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 4 }), raw => {
      const given = readMessages(raw);
      if (given.ok) expect(pairingFaults(given.messages)).toEqual({ open: [], stray: [] });
      else expect(given.errors.length).toBeGreaterThan(0);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a start with messages and a conversation → refused: one of the two (Z3)', () => {
  const settings = { mode: 'react', workspace: '/w', autoApprove: false, session: 's' };
  const start = readStart({ goal: 'go', settings, messages: [user('a')] });
  expect(start.ok ? [] : start.errors).toEqual([expect.stringMatching(/give `messages` or/)]);
});
