/** One script, three protocols, read by the providers' own SDKs. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, test } from 'vitest';
import { startScriptedModel as startCommon } from '../../../packages/test-kit/scripted-model.js';
import { type ScriptedModel, type ScriptedReply, startScriptedModel } from '../../support/endpoint/model.js';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

async function scripted(reply: ScriptedReply, start = startScriptedModel) {
  const server = await start({ reply: () => reply, models: ['m'], apiKey: 'key' });
  open.push(server);
  const { baseUrl } = server;
  const openai = new OpenAI({ baseURL: baseUrl, apiKey: 'key', maxRetries: 0 });
  const anthropic = new Anthropic({
    baseURL: baseUrl.replace('/v1', ''),
    apiKey: 'key',
    maxRetries: 0,
    authToken: null,
  });
  return { server, openai, anthropic };
}

const WEATHER = { type: 'object' as const, properties: { city: { type: 'string' } } };
const REPLY: ScriptedReply = {
  reasoning: 'The person wants the weather.',
  text: 'I look it up.',
  toolCalls: [{ name: 'weather', arguments: { city: 'Köln' }, id: 'id-1' }, { name: 'weather' }],
  usage: {
    inputTokens: 3_000,
    outputTokens: 50,
    cachedInputTokens: 2_000,
    cacheWriteInputTokens: 600,
    reasoningTokens: 20,
  },
  chunkChars: 5,
};
const MESSAGES = [{ role: 'user' as const, content: 'How is the weather?' }];

describe('a reply with reasoning, text and two calls', () => {
  test.each([
    ['the strict model', true, startScriptedModel],
    ['the strict model', false, startScriptedModel],
    ['the model of steersman/testing', true, startCommon as typeof startScriptedModel],
    ['the model of steersman/testing', false, startCommon as typeof startScriptedModel],
  ])('chat completions by %s, streamed: %s → the same for the SDK', async (_of, stream, start) => {
    const { openai } = await scripted(REPLY, start);
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: WEATHER } }];
    const body = { model: 'm', messages: MESSAGES, tools };
    const completion = stream
      ? await openai.chat.completions
          .stream({ ...body, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await openai.chat.completions.create(body);
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'I look it up.',
        tool_calls: [
          { id: 'id-1', function: { name: 'weather', arguments: '{"city":"Köln"}' } },
          { id: expect.stringMatching(/^call_\w+_1$/), function: { name: 'weather', arguments: '{}' } },
        ],
      },
    });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 3_000,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 2_000 },
      completion_tokens_details: { reasoning_tokens: 20 },
    });
  });

  test.each([true, false])('responses, streamed: %s → the same for the SDK', async stream => {
    const { openai } = await scripted(REPLY);
    const tool = { type: 'function' as const, name: 'weather', parameters: WEATHER, strict: false };
    const body = {
      model: 'm',
      input: MESSAGES,
      tools: [tool],
      reasoning: { summary: 'auto' as const },
      include: ['reasoning.encrypted_content' as const],
      store: false,
    };
    const response = stream
      ? await openai.responses.stream(body).finalResponse()
      : await openai.responses.create(body);
    expect(response.status).toBe('completed');
    expect(response.output).toMatchObject([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: REPLY.reasoning }],
        encrypted_content: expect.stringMatching(/^gAAAA/),
      },
      { type: 'message', content: [{ type: 'output_text', text: 'I look it up.' }] },
      { type: 'function_call', call_id: 'id-1', name: 'weather', arguments: '{"city":"Köln"}' },
      { type: 'function_call', call_id: expect.stringMatching(/^call_\w+_1$/), arguments: '{}' },
    ]);
    expect(response.usage).toMatchObject({
      input_tokens: 3_000,
      output_tokens: 50,
      input_tokens_details: { cached_tokens: 2_000 },
      output_tokens_details: { reasoning_tokens: 20 },
    });
  });

  test.each([true, false])('messages, streamed: %s → the same for the SDK', async stream => {
    const { anthropic } = await scripted(REPLY);
    const body = {
      model: 'm',
      max_tokens: 4_000,
      messages: MESSAGES,
      tools: [{ name: 'weather', input_schema: WEATHER }],
      thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
    };
    const message = stream
      ? await anthropic.messages.stream(body).finalMessage()
      : await anthropic.messages.create(body);
    expect(message).toMatchObject({
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: REPLY.reasoning, signature: expect.stringMatching(/^[\w+/=]{40,}$/) },
        { type: 'text', text: 'I look it up.' },
        { type: 'tool_use', id: 'id-1', name: 'weather', input: { city: 'Köln' } },
        { type: 'tool_use', id: expect.stringMatching(/^toolu_\w+_1$/), input: {} },
      ],
      usage: {
        input_tokens: 400,
        cache_read_input_tokens: 2_000,
        cache_creation_input_tokens: 600,
        output_tokens: 50,
      },
    });
  });
});

describe('how a reply ends', () => {
  test.each([
    ['end_turn', 'stop', 'completed', null, 'end_turn'],
    ['max_tokens', 'length', 'incomplete', 'max_output_tokens', 'max_tokens'],
    ['content_filter', 'content_filter', 'incomplete', 'content_filter', 'refusal'],
    ['refusal', 'stop', 'completed', null, 'refusal'],
  ] as const)('%s → %s, %s with %s, %s', async (stopReason, finish, status, reason, stop) => {
    const { openai, anthropic } = await scripted({ text: 'No more.', stopReason });
    const completion = await openai.chat.completions
      .stream({ model: 'm', messages: MESSAGES })
      .finalChatCompletion();
    expect(completion.choices[0]?.finish_reason).toBe(finish);
    expect(completion.choices[0]?.message.refusal).toBe(stopReason === 'refusal' ? 'No more.' : null);
    const response = await openai.responses.stream({ model: 'm', input: 'Hello' }).finalResponse();
    expect([response.status, response.incomplete_details?.reason ?? null]).toEqual([status, reason]);
    const message = await anthropic.messages
      .stream({ model: 'm', max_tokens: 9, messages: MESSAGES })
      .finalMessage();
    expect(message.stop_reason).toBe(stop);
  });
});

describe('what is not a reply', () => {
  test('a wrong model, a wrong key → the error of each SDK for it', async () => {
    const { openai, anthropic, server } = await scripted({ text: 'x' });
    const chat = (client: OpenAI, model: string) =>
      client.chat.completions.create({ model, messages: MESSAGES });
    const messages = (client: Anthropic, model: string) =>
      client.messages.create({ model, max_tokens: 9, messages: MESSAGES });
    await expect(chat(openai, 'n')).rejects.toThrow(OpenAI.NotFoundError);
    await expect(messages(anthropic, 'n')).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
    await expect(chat(openai.withOptions({ apiKey: 'no' }), 'm')).rejects.toThrow(OpenAI.AuthenticationError);
    await expect(messages(anthropic.withOptions({ apiKey: 'no' }), 'm')).rejects.toMatchObject({
      status: 401,
      type: 'authentication_error',
    });
    expect(server.requests.map(({ protocol }) => protocol)).toEqual([
      'openai-compatible',
      'anthropic',
      'openai-compatible',
      'anthropic',
    ]);
  });

  test('list of models → read by both SDKs', async () => {
    const { openai, anthropic } = await scripted({});
    expect((await openai.models.list()).data).toMatchObject([{ id: 'm', object: 'model' }]);
    expect((await anthropic.models.list()).data).toMatchObject([{ id: 'm', type: 'model' }]);
  });
});

describe('a request as scripts read it', () => {
  const text = 'You are terse.';
  test('each protocol → the same messages in the form of chat completions', async () => {
    const { openai, anthropic, server } = await scripted({ text: 'Fine.' });
    await openai.chat.completions.create({
      model: 'm',
      messages: [
        { role: 'system', content: text },
        ...MESSAGES,
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'Rain.' },
      ],
    });
    await openai.responses.create({
      model: 'm',
      instructions: text,
      input: [
        ...MESSAGES,
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":"Ulm"}' },
        { type: 'function_call_output', call_id: 'a', output: 'Rain.' },
      ],
    });
    await anthropic.messages.create({
      model: 'm',
      max_tokens: 9,
      system: text,
      tools: [{ name: 'weather', input_schema: WEATHER }],
      messages: [
        ...MESSAGES,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Ulm' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Rain.' }] },
      ],
    });
    const [chat, responses, messages] = server.requests;
    expect(responses?.body.messages).toEqual(chat?.body.messages);
    expect(messages?.body.messages).toEqual(chat?.body.messages);
    expect(server.requests.map(request => request.system)).toEqual([text, text, text]);
    expect(server.requests.map(request => request.lastUser)).toEqual(Array(3).fill('How is the weather?'));
  });
});
