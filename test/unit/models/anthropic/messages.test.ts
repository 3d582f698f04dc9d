import { afterEach, describe, expect, it, vi } from 'vitest';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import { toolResult } from '../../../../src/conversation/tool-result.js';
import { toMessagesBody } from '../../../../src/models/anthropic/request-body.js';
import type { ModelRequest } from '../../../../src/models/provider/provider.js';
import { PLAIN_REQUEST } from '../../../../src/models/provider/provider.js';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import type { AssistantMessage, Message } from '../../../../src/run/messages/message.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';
import type { ScriptedReply } from '../../../support/endpoint/model.js';
import { startScriptedModel } from '../../../support/endpoint/model.js';
import { type CallSetup, failureOf, runCall, tool, user } from '../../../support/model-calls.js';

const MODEL = 'openai/claude-sonnet-5';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(open.splice(0).map(server => server.close()));
});

async function scripted(reply: ScriptedReply[] | (() => ScriptedReply), options = {}) {
  const server = await startScriptedModel({ reply, ...options });
  open.push(server);
  const call = (setup: Partial<CallSetup> = {}) =>
    runCall({
      baseUrl: server.baseUrl,
      model: MODEL,
      ...setup,
      endpoint: { protocol: 'anthropic', ...setup.endpoint },
    });
  return { server, call, sent: (index = 0) => server.requests[index]?.sent as Record<string, unknown> };
}

/** A stream of events in Anthropic's words. */
function events(...list: { type: string; [field: string]: unknown }[]): ScriptedReply {
  const body = list.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return { error: { status: 200, body, headers: { 'content-type': 'text/event-stream' } } };
}

function block(index: number, content_block: object, ...deltas: object[]) {
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function ending(stop_reason: string, usage: object = { output_tokens: 5 }, delta: object = {}) {
  return [{ type: 'message_delta', delta: { stop_reason, ...delta }, usage }, { type: 'message_stop' }];
}

function reply(
  content: AssistantMessage['content'],
  stopReason: AssistantMessage['stopReason'] = 'tool_use',
) {
  return {
    kind: 'assistant',
    id: 'r',
    at: 2,
    role: 'executor',
    content,
    stopReason,
    action: 'calling_tool',
    model: MODEL,
    usage: NO_USAGE,
  } as const satisfies Message;
}

function result(id: string): Message {
  const said = toolResult({ id, name: 'read' }, 'executed', { content: [{ type: 'text', text: 'yes' }] });
  return { kind: 'tool_result', id: `t-${id}`, at: 3, content: [said] };
}

const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: { path: 'a' } }) as const;

function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'claude-sonnet-5',
    ...PLAIN_REQUEST,
    system: 'You are a test.',
    tools: [tool('read'), tool('write')],
    messages: [user('Hello')],
    ...fields,
  };
}

const body = (fields: Partial<ModelRequest> = {}) => toMessagesBody('openai', request(fields));

describe('a reply of Anthropic', () => {
  it('thinking, text and calls → blocks in their order, all input tokens, cached ones among them (M9, M12)', async () => {
    const usage = {
      inputTokens: 1_000,
      outputTokens: 90,
      cachedInputTokens: 600,
      cacheWriteInputTokens: 300,
    };
    const { call } = await scripted([
      {
        reasoning: 'Let me look.',
        text: 'Reading.',
        toolCalls: [{ name: 'read', arguments: { path: 'a' }, id: 'toolu_1' }],
        usage,
        chunkChars: 4,
      },
    ]);
    const result = await call({ head: { reasoning: 'high', tools: [tool('read')] } });
    expect(result).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Let me look.', data: { model: MODEL, value: { type: 'thinking' } } },
        { type: 'text', text: 'Reading.' },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
      ],
      stopReason: 'tool_use',
      usage: { inputTokens: 1_000, outputTokens: 90, cachedInputTokens: 600, cacheWriteInputTokens: 300 },
    });
  });

  it('thinking between texts and calls, some of it redacted → kept in its places, sent back unchanged, to its model alone (M5, M12)', async () => {
    const parts = [
      ...block(0, { type: 'thinking', thinking: '' }, thinking('one'), signature('s1')),
      ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'First.' }),
      ...block(2, { type: 'redacted_thinking', data: 'sealed' }),
      ...block(3, { type: 'thinking', thinking: '', signature: '' }, signature('s2')),
      ...block(4, { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } }),
    ];
    const { call } = await scripted([events(...parts, ...ending('tool_use'))]);
    const { content } = await call({ head: { tools: [tool('read')] } });
    const thread = [user('Hello'), reply(content), result('toolu_1')];
    expect(body({ messages: thread }).messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'one', signature: 's1' },
      { type: 'text', text: 'First.' },
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'thinking', thinking: '', signature: 's2' },
      { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
    ]);
    expect(body({ model: 'claude-opus-5', messages: thread }).messages[1]?.content).toEqual([
      { type: 'text', text: 'First.' },
      { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
    ]);
  });

  it('thinking that is too long to send back, or has a secret in it → for people alone, never sent back changed', async () => {
    const long = 'x'.repeat(60_000);
    const { call } = await scripted([
      { reasoning: long, text: 'Done.' },
      { reasoning: 'The key is K-17.', text: 'Done.' },
    ]);
    const head = { reasoning: 'low' } as const;
    const [first] = (await call({ head })).content;
    expect(first).toEqual({ type: 'reasoning', text: long });
    const redact = (text: string) => text.replaceAll('K-17', '[secret]');
    const [second] = (await call({ head, deps: { redact } })).content;
    expect(second).toEqual({ type: 'reasoning', text: 'The key is [secret].' });
  });

  it.each([
    ['end_turn', 'end_turn'],
    ['stop_sequence', 'end_turn'],
    ['max_tokens', 'max_tokens'],
    ['model_context_window_exceeded', 'max_tokens'],
    ['pause_turn', 'max_tokens'],
    ['refusal', 'refusal'],
    ['tool_use', 'end_turn'],
  ])('stop reason %s with a text → %s (M13)', async (given, stopReason) => {
    const text = block(0, { type: 'text', text: 'Hm.' });
    const { call } = await scripted([events(...text, ...ending(given))]);
    expect(await call()).toMatchObject({ stopReason, content: [{ type: 'text', text: 'Hm.' }] });
  });

  it('refusal without a word → its explanation is what the model said', async () => {
    const stop_details = { type: 'refusal', category: 'bio', explanation: 'Not this.' };
    const { call } = await scripted([events(...ending('refusal', { output_tokens: 1 }, { stop_details }))]);
    expect(await call()).toMatchObject({ stopReason: 'refusal', content: [{ text: 'Not this.' }] });
  });

  it('stream that ends before the message does → a failure that can be tried again', async () => {
    const { call } = await scripted([events(...block(0, { type: 'text', text: 'Half' }))]);
    expect(await failureOf(call())).toMatchObject({ type: FAILURE.model.connection, nonRetryable: false });
  });

  it('call that nothing ends → not run', async () => {
    const begun = { type: 'content_block_start', index: 0, content_block: { ...use('t1'), input: {} } };
    const { call } = await scripted([events(begun, ...ending('tool_use'))]);
    const { content } = await call({ head: { tools: [tool('read')] } });
    expect(content).toMatchObject([{ type: 'tool_use', argErrors: [expect.stringMatching(/incomplete/)] }]);
  });
});

const thinking = (text: string) => ({ type: 'thinking_delta', thinking: text });
const signature = (text: string) => ({ type: 'signature_delta', signature: text });

const MARK = { cache_control: { type: 'ephemeral' } };

describe('a request to Anthropic', () => {
  it('conversation → turns of the two sides, all results in one, blank texts left out (G5)', () => {
    const messages = [
      user('Hello'),
      reply([use('a'), use('b')]),
      result('a'),
      result('b'),
      user('And now?', 'm2'),
      user('  ', 'm3'),
    ];
    const roles = body({ messages }).messages.map(({ role, content }) => [
      role,
      Array.isArray(content) ? content.map(({ type }) => type) : content,
    ]);
    expect(roles).toEqual([
      ['user', ['text']],
      ['assistant', ['tool_use', 'tool_use']],
      ['user', ['tool_result', 'tool_result', 'text']],
    ]);
  });

  it('conversation begins or ends with the model → the user has the first and the last word', () => {
    const said = reply([{ type: 'text', text: 'Well.' }], 'end_turn');
    expect(body({ messages: [said] }).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
  });

  it('ids of other providers → ids that the API takes, the same in call and result', () => {
    const [, asked, answered] = body({
      messages: [user('Hi'), reply([use('read:0')]), result('read:0')],
    }).messages;
    const [call] = (asked?.content ?? []) as { id: string }[];
    expect(call?.id).toMatch(/^call_[0-9a-f]{32}$/);
    expect(answered?.content).toMatchObject([{ tool_use_id: call?.id }]);
  });

  it('each next request → has the marks of tools and system, one at its end, one where the last request ended', () => {
    const messages: Message[] = [user('Hello')];
    const first = body({ messages });
    expect(first.tools?.map(entry => 'cache_control' in entry)).toEqual([false, true]);
    expect(first.system).toEqual([{ type: 'text', text: 'You are a test.', ...MARK }]);
    expect(first.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hello', ...MARK }] }]);
    const ids = Array.from({ length: 30 }, (_, index) => `c${index}`);
    const next = body({ messages: [...messages, reply(ids.map(use)), ...ids.map(result)] });
    const marked = next.messages.map(
      ({ content }) => Array.isArray(content) && content.map(entry => 'cache_control' in entry),
    );
    expect(marked[0]).toEqual([true]);
    expect(marked[1]).not.toContain(true);
    expect(marked[2]).toEqual([...ids.slice(1).map(() => false), true]);
  });

  it.each([
    ['auto', undefined],
    // Another choice would have the conversation read anew.
    ['none', undefined],
    ['required', { type: 'any' }],
  ] as const)('tool choice %s → %j', (toolChoice, wire) => {
    expect(body({ toolChoice }).tool_choice).toEqual(wire);
    expect(body({ toolChoice, tools: [] })).not.toHaveProperty('tool_choice');
  });

  it.each([
    ['claude-opus-5', 'low', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    ['claude-haiku-4-5-20251001', 'medium', { thinking: { type: 'enabled', budget_tokens: 8_192 } }],
    ['claude-sonnet-4-20250514', 'high', { thinking: { type: 'enabled', budget_tokens: 12_288 } }],
    ['claude-opus-4-6', 'high', { thinking: { type: 'adaptive' } }],
    ['claude-opus-4-6', 'off', { thinking: { type: 'disabled' } }],
  ] as const)('%s, reasoning %s → %j (M10)', (model, reasoning, wire) => {
    expect(body({ model, reasoning, temperature: 0.5 })).toMatchObject(wire);
    expect('temperature' in body({ model, reasoning, temperature: 0.5 })).toBe(reasoning === 'off');
  });

  it('schema of an output → only without tools', () => {
    expect(body({ output: 'plan', tools: [] }).output_config?.format?.type).toBe('json_schema');
    expect(body({ output: 'plan' })).not.toHaveProperty('output_config');
  });

  it('temperature over the range → its end; sampling goes with the version of the API that knows it (M10)', async () => {
    const { call, sent, server } = await scripted(() => ({ text: 'fine' }), { rejects: ['temperature'] });
    await call({ head: { temperature: 1.4, topP: 0.9, stop: ['END'] } });
    expect(sent()).toMatchObject({ temperature: 1, top_p: 0.9, stop_sequences: ['END'], max_tokens: 16_384 });
    expect(server.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
    expect(sent(1)).not.toHaveProperty('temperature');
  });

  it('keys and headers of the environment → never sent; no key with a base URL → none is sent', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-env');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-env');
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'x-theirs: secret\nauthorization: Bearer other');
    const { call, server } = await scripted(() => ({ text: 'fine' }));
    await call({ endpoint: { headers: { 'x-team': 'search' } } });
    await call({ endpoint: { apiKey: 'sk-own' } });
    const [without, withKey] = server.requests.map(({ headers }) => headers);
    expect(without).toMatchObject({ 'x-team': 'search' });
    for (const name of ['authorization', 'x-api-key', 'x-theirs']) expect(without).not.toHaveProperty(name);
    expect(withKey).toMatchObject({ 'x-api-key': 'sk-own', authorization: 'Bearer sk-own' });
    expect(withKey).not.toHaveProperty('x-theirs');
  });

  it('model that knows no effort → a budget in the same try', async () => {
    const said = 'adaptive thinking is not supported on this model';
    const refusing = await scripted([{ error: { status: 400, message: said } }, { text: 'fine' }]);
    await refusing.call({ head: { reasoning: 'low', maxOutputTokens: 8_192 } });
    expect(refusing.sent(1).thinking).toEqual({ type: 'enabled', budget_tokens: 2_048 });
  });

  it('thinking that a turn of another model lacks → the same try goes on without it, and without its effort', async () => {
    const said =
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.';
    const refusing = await scripted([{ error: { status: 400, message: said } }, { text: 'fine' }]);
    await refusing.call({ head: { reasoning: 'low' } });
    expect(refusing.sent(0)).toMatchObject({ thinking: {}, output_config: { effort: 'low' } });
    expect(refusing.sent(1)).not.toHaveProperty('thinking');
    expect(refusing.sent(1)).not.toHaveProperty('output_config');
  });

  it.each([
    'tools.0.custom.cache_control: Extra inputs are not permitted',
    'system.0.cache_control: Extra inputs are not permitted',
    'messages.0.content.0.text.cache_control: Extra inputs are not permitted',
    '*.cache_control: Extra inputs are not permitted',
  ])('marks for a cache (%s) → the same request without any, and no tool is changed (FE9)', async said => {
    const refusing = await scripted([{ error: { status: 400, message: said } }, { text: 'fine' }]);
    const { lessons } = await refusing.call({ head: { tools: [tool('read')] } });
    expect(JSON.stringify(refusing.sent(0))).toContain('cache_control');
    const unmarked = JSON.stringify(refusing.sent(0)).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
    expect(refusing.sent(1)).toEqual(JSON.parse(unmarked));
    expect(lessons?.map(({ id }) => id)).toEqual(['form no cache marks 1']);
  });

  it('signature that the endpoint did not give → the same try goes on without the thinking', async () => {
    const { call, sent } = await scripted([{ text: 'fine' }]);
    const data = { model: MODEL, value: { type: 'thinking', signature: 's' } };
    const thought = { type: 'reasoning', text: 'Hm.', data } as const;
    const messages = [user('Hello'), reply([thought, use('a')]), result('a')];
    await call({ messages, head: { tools: [tool('read')] } });
    expect(JSON.stringify(sent(0).messages)).toContain('signature');
    expect(JSON.stringify(sent(1).messages)).not.toContain('thinking');
  });
});

const { model } = FAILURE;
const FAILURES: [string, WireError, string, boolean][] = [
  ['429', { status: 429, headers: { 'retry-after': '7' } }, model.rateLimited, true],
  [
    '429 that no later try ends',
    { status: 429, headers: { 'x-should-retry': 'false' } },
    model.forbidden,
    false,
  ],
  ['529', { status: 529 }, model.overloaded, true],
  ['500', { status: 500 }, model.server, true],
  [
    '400 with the advice to try again',
    { status: 400, headers: { 'x-should-retry': 'true' } },
    model.server,
    true,
  ],
  ['401', { status: 401 }, model.auth, false],
  ['403', { status: 403 }, model.forbidden, false],
  [
    'no credit',
    { status: 400, message: 'Your credit balance is too low to access the API.' },
    model.forbidden,
    false,
  ],
  ['unknown model', { status: 404, message: 'model: claude-sonnet-5' }, model.unknownModel, false],
  [
    'long prompt',
    { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    model.contextTooLong,
    false,
  ],
  ['large request', { status: 413 }, model.contextTooLong, false],
  [
    'bad request',
    { status: 400, message: 'messages: at least one message is required' },
    model.badRequest,
    false,
  ],
];

describe('a failure of Anthropic', () => {
  it.each(FAILURES)('%s → its type, as of every provider (M6)', async (_when, error, type, retryable) => {
    const { call } = await scripted(() => ({ error }));
    expect(await failureOf(call())).toMatchObject({ type, nonRetryable: !retryable });
  });

  it('retry-after → the pause before the next try', async () => {
    const { call } = await scripted([{ error: { status: 429, headers: { 'retry-after': '7' } } }]);
    expect(await failureOf(call())).toMatchObject({ nextRetryDelay: 7_000 });
  });

  it.each([
    ['overloaded_error', model.overloaded],
    ['rate_limit_error', model.rateLimited],
    ['api_error', model.server],
    ['invalid_request_error', model.badRequest],
    ['permission_error', model.forbidden],
  ])('error event %s in the stream → %s', async (type, failure) => {
    const { call } = await scripted([
      events(...block(0, { type: 'text', text: 'Half' }), { type: 'error', error: { type, message: 'No.' } }),
    ]);
    expect(await failureOf(call())).toMatchObject({ type: failure, message: expect.stringContaining('No') });
  });
});
