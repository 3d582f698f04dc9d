import { describe, expect, test } from 'vitest';
import {
  fromAnthropicMessages,
  fromChatMessages,
  fromReply,
  fromResponsesItems,
  fromTools,
  toAnthropicTools,
  toChatMessages,
  toChatReply,
  toChatTools,
  toResponsesInput,
  toResponsesTools,
} from '../../../../src/client/messages/index.js';
import { textOf } from '../../../../src/run/messages/message.js';

const CALL = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } };
const FAILED = fromAnthropicMessages([
  { role: 'user', content: 'Read a.' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } }] },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Gone.', is_error: true }],
  },
]);

test('a failed result by a protocol without a mark for it → said in words, and read as failed again (CF6)', () => {
  expect(JSON.stringify(toChatMessages(FAILED))).toContain('[The tool reported an error.]');
  for (const back of [
    fromChatMessages(toChatMessages(FAILED)),
    fromResponsesItems(toResponsesInput(FAILED)),
  ]) {
    const [, , result] = back;
    expect(result?.content[0]).toMatchObject({ isError: true, note: '', content: [{ text: 'Gone.' }] });
  }
});

test.each([
  [
    'chat',
    fromChatMessages([{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }]),
  ],
  [
    'responses',
    fromResponsesItems([{ role: 'user', content: [{ type: 'input_image', image_url: 'data:,' }] }]),
  ],
  ['anthropic', fromAnthropicMessages([{ role: 'user', content: [{ type: 'image', source: {} }] }])],
])('a message of a picture alone, %s → stays a message, with what it was (CF6)', (_protocol, read) => {
  expect(read.map(textOf)).toEqual(['[picture]']);
});

describe('whole replies', () => {
  const chat = {
    id: 'x',
    object: 'chat.completion',
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Look.', tool_calls: [CALL] },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
  };
  const responses = {
    object: 'response',
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}' },
    ],
    usage: { input_tokens: 9, output_tokens: 4 },
  };
  const anthropic = {
    ...{ type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use' },
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } },
    ],
    usage: { input_tokens: 9, output_tokens: 4 },
  };

  test.each([chat, responses, anthropic])(
    '%# → content, stop reason and usage; written as chat completions (CF6)',
    async body => {
      const reply = await fromReply(body, { model: 'acme/m' });
      expect(reply.content).toMatchObject([
        { type: 'text', text: 'Look.' },
        { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } },
      ]);
      expect(reply).toMatchObject({
        stopReason: 'tool_use',
        usage: { inputTokens: 9, outputTokens: 4, costUsd: null },
      });
      expect(toChatReply(reply)).toMatchObject({
        ...{ object: 'chat.completion', model: 'acme/m', usage: chat.usage },
        choices: [{ message: { content: 'Look.', tool_calls: [CALL] }, finish_reason: 'tool_calls' }],
      });
    },
  );

  test('cut at its limit → told; what is no reply → refused (CF6)', async () => {
    const [choice] = chat.choices;
    const message = { role: 'assistant', content: 'Lo' };
    const cut = await fromReply({ ...chat, choices: [{ ...choice, message, finish_reason: 'length' }] });
    expect([cut.stopReason, toChatReply(cut).choices[0].finish_reason]).toEqual(['max_tokens', 'length']);
    for (const body of [null, {}, { choices: [] }, { output: [] }])
      await expect(fromReply(body)).rejects.toThrow('This is not a reply of a model.');
  });
});

test('definitions of tools: each form → one, and back to each (CF6)', () => {
  const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  const tool = { name: 'read', description: 'Reads a file.', inputSchema: schema };
  const forms = [toChatTools([tool]), toResponsesTools([tool]), toAnthropicTools([tool]), [tool]];
  for (const form of forms)
    expect(fromTools(form)).toMatchObject([{ ...tool, inputSchema: { properties: schema.properties } }]);
  expect(fromTools([{ name: 'now' }, { description: 'nameless' }, null])).toEqual([
    { name: 'now', description: '', inputSchema: { type: 'object' } },
  ]);
});
