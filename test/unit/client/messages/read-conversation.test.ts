/** Conversations of files and requests: their form is told by what stands in them, and faults by their path. */
import { expect, test } from 'vitest';
import { readConversation } from '../../../../src/client/messages/index.js';
import { textOf } from '../../../../src/run/messages/message.js';

const CHAT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'How long?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"p"}' } }],
  },
  { role: 'tool', tool_call_id: 'a', content: '7 m' },
  { role: 'assistant', content: 'Seven metres.' },
];
const ANTHROPIC = [
  { role: 'user', content: 'How long?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: { path: 'p' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '7 m' }] },
  { role: 'assistant', content: 'Seven metres.' },
];
const RESPONSES = [
  { role: 'user', content: 'How long?' },
  { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"path":"p"}' },
  { type: 'function_call_output', call_id: 'a', output: '7 m' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Seven metres.' }] },
];
const EXPORT = {
  session: null,
  runs: [
    {
      run: { chain: 'r', answer: null },
      messages: readConversation(CHAT).flatMap(message => [
        { type: 'USER', at: 1, thread: 'main', message },
        { type: 'SYSTEM_EVENT', at: 1, event: { type: 'run_started' } },
        { type: 'USER', at: 1, thread: 'verifier', message },
      ]),
    },
  ],
};

test.each<[string, unknown]>([
  ['chat completions', CHAT],
  ['a request of chat completions', { model: 'm', messages: CHAT }],
  ['Anthropic’s Messages', { messages: ANTHROPIC }],
  ['Responses', { input: RESPONSES }],
  ['a list of items', RESPONSES],
  ['messages of the project', readConversation(CHAT)],
  ['an exported conversation', EXPORT],
])('%s → the same texts, call and result (G4)', (_form, value) => {
  const messages = readConversation(value);
  expect(messages.map(message => [message.kind, textOf(message)])).toEqual([
    ['user', 'How long?'],
    ['assistant', ''],
    ['tool_result', ''],
    ['assistant', 'Seven metres.'],
  ]);
  const [, asked, answered] = messages;
  const [callBlock] = asked?.content ?? [];
  expect(callBlock).toMatchObject({ type: 'tool_use', name: 'read', input: { path: 'p' } });
  expect(answered?.content[0]).toMatchObject({
    toolUseId: callBlock && 'id' in callBlock ? callBlock.id : '',
    content: [{ type: 'text', text: '7 m' }],
  });
});

test.each<[string, unknown, RegExp]>([
  ['a text', 'hello', /`the conversation` must be a list of messages/],
  ['an unknown role', [...CHAT, { role: 'robot', content: 'x' }], /`messages\[5\]\.role` must be one of/],
  ['a number as content', { messages: [{ role: 'user', content: 7 }] }, /`messages\[0\]\.content` must be/],
  ['a result of no call', [{ role: 'tool', content: 'x' }], /`messages\[0\]\.tool_call_id` must be/],
  ['an unknown item', { input: [{ type: 'web_search_call' }] }, /`input\[0\]\.type` must be one of/],
  [
    'a message of a run',
    { runs: [{ run: {}, messages: [{ thread: 'main', message: { kind: 'x' } }] }] },
    /`runs\[0\]\.messages\[0\]\.kind` must be/,
  ],
])('%s → refused with the path of what is wrong (Z3)', (_what, value, fault) => {
  expect(() => readConversation(value)).toThrow(fault);
});
