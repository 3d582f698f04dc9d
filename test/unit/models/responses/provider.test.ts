import { describe, expect, it, vi } from 'vitest';
import { toolResult } from '../../../../src/conversation/tool-result.js';
import { isStrictSchema } from '../../../../src/models/request/strict-schema.js';
import type { ModelRequestHead } from '../../../../src/rules/prompts/model-request.js';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import type { AssistantMessage, Message } from '../../../../src/run/messages/message.js';
import { outward } from '../../../../src/shared/http/outward-fetch.js';
import { type Answer, startEventEndpoint } from '../../../support/event-endpoint.js';
import { failureOf, runCall, tool, user } from '../../../support/model-calls.js';

const MODEL = 'openai/gpt-5.2';

/** Events of a response with these items, told in the order of the API; `broken` changes them. */
function response(items: readonly Record<string, unknown>[], end: Record<string, unknown> = {}): object[] {
  const events: object[] = [{ type: 'response.created', response: { model: 'gpt-5.2-2025-12-11' } }];
  for (const [output_index, item] of items.entries()) {
    events.push({ type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } });
    events.push(...pieces(item).map(piece => ({ output_index, item_id: 'x', ...piece })));
    events.push({ type: 'response.output_item.done', output_index, item });
  }
  const whole = { status: 'completed', output: items, usage: USAGE, ...end };
  return [...events, { type: `response.${whole.status}`, response: whole }];
}

function pieces(item: Record<string, unknown>): object[] {
  const text = String(item.arguments ?? '');
  switch (item.type) {
    case 'function_call':
      return halves(text).map(delta => ({ type: 'response.function_call_arguments.delta', delta }));
    case 'reasoning':
      return (item.summary as { text: string }[]).flatMap((part, summary_index) =>
        halves(part.text).map(delta => ({
          type: 'response.reasoning_summary_text.delta',
          summary_index,
          delta,
        })),
      );
    default:
      return (item.content as { type: string; text?: string; refusal?: string }[]).flatMap(
        (part, content_index) =>
          halves(part.text ?? part.refusal ?? '').map(delta => ({
            type: `response.${part.type}.delta`,
            content_index,
            delta,
          })),
      );
  }
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(half => half !== '');
}

const USAGE = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 16, cache_write_tokens: 8 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 70,
};

const said = (text: string) => ({ type: 'message', id: 'msg_1', content: [{ type: 'output_text', text }] });
const thought = (id: string, ...texts: string[]) => ({
  type: 'reasoning',
  id,
  summary: texts.map(text => ({ type: 'summary_text', text })),
  encrypted_content: `sealed ${id}`,
});
const called = (call_id: string, name: string, args: object) => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name,
  arguments: JSON.stringify(args),
});

async function call(answer: Answer, head: Partial<ModelRequestHead> = {}, messages?: Message[]) {
  const endpoint = await startEventEndpoint(answer);
  const result = runCall({ ...settings(endpoint.baseUrl), head, ...(messages ? { messages } : {}) });
  return { endpoint, result: await result };
}

function settings(baseUrl: string) {
  return { baseUrl, model: MODEL, endpoint: { protocol: 'openai-responses' } } as const;
}

describe('reply of the Responses API', () => {
  it('reasoning, text and calls → blocks, with what is encrypted beside the reasoning; usage in full', async () => {
    const items = [
      thought('rs_1', 'Let me see.', 'Both files.'),
      said('I read them.'),
      called('t1', 'read', { path: 'a' }),
      called('t2', 'read', { path: 'b' }),
    ];
    const { result } = await call(response(items), { tools: [tool('read')] });
    expect(result.content).toEqual([
      {
        type: 'reasoning',
        text: 'Let me see.\n\nBoth files.',
        data: { model: MODEL, value: items[0] },
      },
      { type: 'text', text: 'I read them.' },
      { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } },
      { type: 'tool_use', id: 't2', name: 'read', input: { path: 'b' } },
    ]);
    expect(result).toMatchObject({ stopReason: 'tool_use', servedModel: 'gpt-5.2-2025-12-11' });
    expect(result.usage).toMatchObject({
      inputTokens: 40,
      outputTokens: 30,
      cachedInputTokens: 16,
      cacheWriteInputTokens: 8,
      reasoningTokens: 20,
    });
    expect(result.usage.estimated).toBeUndefined();
  });

  it('what is encrypted comes only at the end (LiteLLM) → beside the reasoning, in its place (M11)', async () => {
    const items = [thought('rs_1', 'Hm.'), called('t1', 'read', { path: 'a' })];
    const late = response(items).map(event => {
      const { item } = event as { item?: object };
      return item ? { ...event, item: { ...item, encrypted_content: undefined } } : event;
    });
    const { result } = await call(late, { tools: [tool('read')] });
    expect(result.content).toEqual([
      { type: 'reasoning', text: 'Hm.', data: { model: MODEL, value: items[0] } },
      { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } },
    ]);
  });

  it('two thoughts whose ciphers come only at the end → shown, and kept by none: their places are not known', async () => {
    const items = [thought('rs_1', 'Hm.'), called('t1', 'read', {}), thought('rs_2', 'So.')];
    const late = response(items).map(event => {
      const { item } = event as { item?: object };
      return item ? { ...event, item: { ...item, encrypted_content: undefined } } : event;
    });
    const { result } = await call(late, { tools: [tool('read')] });
    expect(JSON.stringify(result.content)).not.toContain('sealed');
  });

  it('endpoint tells the items only at the end → the same reply', async () => {
    const items = [thought('rs_1', 'Hm.'), said('Read.'), called('t1', 'read', { path: 'a' })];
    const streamed = await call(response(items));
    const whole = await call(response(items).slice(-1));
    expect(whole.result.content).toEqual(streamed.result.content);
  });

  it.each<[string, object[], object]>([
    ['cut at the limit', response([said('Half')], CUT), { stopReason: 'max_tokens' }],
    [
      'withheld by a content filter',
      response([said('Half')], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }),
      { stopReason: 'content_filter' },
    ],
    [
      'declined',
      response([{ type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] }]),
      { stopReason: 'refusal', content: [{ type: 'text', text: 'I will not.' }] },
    ],
    [
      'two messages',
      response([said('First.'), said('Then.')]),
      { stopReason: 'end_turn', content: [{ type: 'text', text: 'First.\n\nThen.' }] },
    ],
    [
      'reasoning that is not shown',
      response([thought('rs_9'), said('Yes.')]),
      {
        content: [
          { type: 'reasoning', text: '', data: { model: MODEL } },
          { type: 'text', text: 'Yes.' },
        ],
      },
    ],
    [
      'reasoning without its cipher, as other servers of the protocol send it',
      response([{ ...thought('rs_9', 'Hm.'), encrypted_content: undefined }, said('Yes.')]),
      {
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'Yes.' },
        ],
      },
    ],
  ])('%s', async (_what, events, expected) => {
    expect((await call(events)).result).toMatchObject(expected);
  });

  // github.com/sgl-project/sglang/issues/12652: no end of the item, and at the end an empty message in its place.
  it.each([
    ['told in pieces, then whole', '{"path":"a"}', { input: { path: 'a' } }],
    ['told whole only', '', { input: { path: 'a' } }],
    ['told whole, and other than in pieces', '{"path":"b"}', { argErrors: [expect.any(String)] }],
  ])('a call that only its arguments end, %s → as its arguments say', async (_how, delta, expected) => {
    const item = { ...called('t1', 'read', {}), arguments: '' };
    const empty = { type: 'message', id: 'm', content: [{ type: 'text', text: '' }] };
    const events = [
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.function_call_arguments.delta', output_index: 0, item_id: item.id, delta },
      {
        type: 'response.function_call_arguments.done',
        output_index: 0,
        item_id: item.id,
        arguments: '{"path":"a"}',
      },
      { type: 'response.completed', response: { status: 'completed', output: [empty] } },
    ];
    const { result } = await call(events, { tools: [tool('read')] });
    expect(result).toMatchObject({
      stopReason: 'tool_use',
      content: [{ id: 't1', name: 'read', ...expected }],
    });
    if (!('argErrors' in expected)) expect(result.content[0]).not.toHaveProperty('argErrors');
  });

  // github.com/vllm-project/vllm/pull/44348, github.com/anomalyco/opencode/pull/44893
  it('arguments of which the last piece comes only at the end of the call → the whole call', async () => {
    const events = response([called('t1', 'read', { path: 'a' })]).filter(
      event => !('delta' in event) || event.delta !== '":"a"}',
    );
    const { result } = await call(events, { tools: [tool('read')] });
    expect(events).toHaveLength(5);
    expect(result.content).toEqual([{ type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } }]);
  });

  it('arguments that differ from those at the end of the call → it does not run', async () => {
    const events = response([called('t1', 'read', { path: 'a' })]);
    const done = events.findIndex(
      event => 'item' in event && 'type' in event && /done/.test(`${event.type}`),
    );
    events[done] = {
      ...events[done],
      item: called('t1', 'read', { path: 'b' }),
    };
    const { result } = await call(events, { tools: [tool('read')] });
    expect(result.content[0]).toMatchObject({ type: 'tool_use', argErrors: [expect.any(String)] });
  });

  it.each([
    ['goes on', [['Hel', 'Hello, all of it.']], 'Hello, all of it.'],
    [
      'has a part more',
      [
        ['Hello.', 'Hello.'],
        ['', 'More.'],
      ],
      'Hello.\n\nMore.',
    ],
    ['says the same', [['Hello.', 'Hello.']], 'Hello.'],
    ['says less', [['Hello.', 'Hel']], 'Hello.'],
    ['says something else', [['Hel', 'Bye.']], 'Hel'],
  ])('text that %s at the end of its item → what was not said yet is added', async (_how, parts, text) => {
    const content = (at: 0 | 1) => parts.map(part => ({ type: 'output_text', text: part[at] ?? '' }));
    const events = response([{ ...said(''), content: content(0) }]);
    const done = events.findIndex(event => 'type' in event && event.type === 'response.output_item.done');
    events[done] = { ...events[done], item: { ...said(''), content: content(1) } };
    expect((await call(events)).result.content).toEqual([{ type: 'text', text }]);
  });

  it.each([
    ['words → a call that is not run', '*** Begin Patch', { argsParseFailed: true }],
    ['arguments as JSON → a call', '{"path":"a"}', { input: { path: 'a' } }],
  ])('custom call with %s', async (_with, input, expected) => {
    const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 't1', name: 'read', input };
    const events = [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, input: '' } },
      { type: 'response.custom_tool_call_input.delta', output_index: 0, item_id: 'ctc_1', delta: input },
      { type: 'response.output_item.done', output_index: 0, item },
      ...response([]).slice(-1),
    ];
    for (const told of [events, [events[2] ?? {}, ...events.slice(-1)]]) {
      const { result } = await call(told, { tools: [tool('read')] });
      expect(result).toMatchObject({ stopReason: 'tool_use', content: [{ id: 't1', name: 'read' }] });
      expect(result.content[0]).toMatchObject(expected);
    }
  });

  it.each<[string, Answer, object]>([
    [
      'error event: rate limit → rate_limited',
      [{ type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.', param: null }],
      { type: FAILURE.model.rateLimited, nonRetryable: false },
    ],
    // github.com/roackb2/heddle/pull/358
    [
      'error event: no quota → forbidden, not tried again',
      [
        {
          type: 'error',
          error: { type: 'insufficient_quota', code: 'credit_balance_exhausted', message: 'Add credits.' },
        },
      ],
      { type: FAILURE.model.forbidden, nonRetryable: true },
    ],
    [
      'response.failed: server_error → server',
      [{ type: 'response.failed', response: { error: { code: 'server_error', message: 'Oh.' } } }],
      { type: FAILURE.model.server, nonRetryable: false },
    ],
    [
      'response.failed: invalid_prompt → bad_request, not tried again',
      [{ type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'No.' } } }],
      { type: FAILURE.model.badRequest, nonRetryable: true },
    ],
    ['no end → connection', response([said('Half')]).slice(0, -1), { type: FAILURE.model.connection }],
    ['no event → bad_response', [], { type: FAILURE.model.badResponse }],
    [
      '404 → says where to look',
      { status: 404, error: { message: 'Not Found' } },
      { type: FAILURE.model.badRequest, message: expect.stringContaining('OPENAI_BASE_URL') },
    ],
  ])('%s', async (_what, answer, expected) => {
    const endpoint = await startEventEndpoint(answer);
    expect(await failureOf(runCall(settings(endpoint.baseUrl)))).toMatchObject(expected);
  });
});

const CUT = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };

const DONE = response([said('ok')]);

describe('request of the Responses API', () => {
  it('nothing set → stateless, with encrypted reasoning, and no option that was not asked for', async () => {
    const { endpoint } = await call(DONE);
    expect(endpoint.paths).toEqual(['/v1/responses']);
    expect(endpoint.bodies[0]).toEqual({
      model: 'gpt-5.2',
      instructions: 'You are a test.',
      input: [{ role: 'user', content: 'Hello' }],
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { summary: 'auto' },
      prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it.each<[string, Partial<ModelRequestHead>, object]>([
    ['temperature', { temperature: 0.3 }, { temperature: 0.3 }],
    ['top_p', { topP: 0.9 }, { top_p: 0.9 }],
    ['token limit', { maxOutputTokens: 77 }, { max_output_tokens: 77 }],
    ['form of the reply', { output: 'plan' }, { text: { format: { type: 'json_schema', strict: true } } }],
    ['tools', { tools: [tool('read')] }, { parallel_tool_calls: true, tools: [{ strict: false }] }],
    ['tools, none may be called', { tools: [tool('read')], toolChoice: 'none' }, { tool_choice: 'none' }],
    [
      'tools, one must be called',
      { tools: [tool('a')], toolChoice: 'required' },
      { tool_choice: 'required' },
    ],
  ])('%s', async (_what, head, expected) => {
    const { endpoint } = await call(DONE, head);
    expect(endpoint.bodies[0]).toMatchObject(expected);
  });

  it('tools and a form → no form: the same prefix for all roles, and calls stay possible', async () => {
    const { endpoint } = await call(DONE, { tools: [tool('read')], output: 'plan' });
    expect(endpoint.bodies[0]).not.toHaveProperty('text');
  });

  it('conversation → items in their order; reasoning goes back to the model that gave it alone', async () => {
    const { endpoint } = await call(DONE, {}, conversation(MODEL));
    expect(endpoint.bodies[0]?.input).toEqual([
      { role: 'user', content: 'Read it.' },
      thought('rs_1', 'Hm.'),
      { role: 'assistant', content: 'I read it.' },
      { type: 'function_call', call_id: 't1', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call_output', call_id: 't1', output: expect.stringContaining('inside') },
      { role: 'assistant', content: '[The user interrupted this reply here: it is not complete.]' },
    ]);
    const other = await call(DONE, {}, conversation('openai/gpt-5-mini'));
    expect(JSON.stringify(other.endpoint.bodies[0])).not.toContain('sealed');
  });

  // github.com/vercel/ai/pull/12860: models since GPT-5.3 stop early if a remark beside calls comes back as an answer.
  it.each([
    ['https://eu.api.openai.com/v1', ['commentary', 'commentary', 'final_answer']],
    ['https://api.openai.com.example/v1', [undefined, undefined, undefined]],
  ])('conversation for %s → the phase of what was said, at OpenAI alone', async (baseUrl, phases) => {
    const bodies: { input: Record<string, unknown>[] }[] = [];
    const fetch = vi.spyOn(outward, 'fetch').mockImplementation(async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return Response.json({ object: 'response', status: 'completed', output: [said('ok')] });
    });
    try {
      const answer = conversation(MODEL)
        .slice(1, 2)
        .map(message => ({
          ...message,
          id: 'm5',
          content: [{ type: 'text', text: 'It is a.' }],
        }));
      await runCall({
        ...settings(baseUrl),
        messages: [...conversation(MODEL), user('Go on.'), ...answer, user('And?')] as Message[],
      });
    } finally {
      fetch.mockRestore();
    }
    const spoken = bodies[0]?.input.filter(({ role }) => role === 'assistant');
    expect(spoken?.map(({ phase }) => phase)).toEqual(phases);
  });

  it('options that a model refuses → the same try without them, later calls leave them out', async () => {
    const refuse = (message: string, param: string) => ({ status: 400, error: { message, param } });
    const endpoint = await startEventEndpoint(
      refuse('Encrypted content is not supported with this model.', 'include'),
      refuse('Your organization must be verified to generate reasoning summaries.', 'reasoning.summary'),
      refuse("Unsupported parameter: 'temperature' is not supported with this model.", 'temperature'),
      DONE,
    );
    const { createProvider } = await import('../../../../src/models/protocols.js');
    const { createProviders } = await import('../../../../src/models/provider/providers.js');
    const { baseUrl } = endpoint;
    const provider = createProvider({ name: 'openai', baseUrl, protocol: 'openai-responses' });
    const deps = { providers: createProviders({ openai: () => provider }) };
    await runCall({ ...settings(baseUrl), deps, head: { temperature: 0 } });
    await runCall({ ...settings(baseUrl), deps, head: { temperature: 0 } });
    expect(endpoint.bodies).toHaveLength(5);
    for (const body of endpoint.bodies.slice(3)) {
      for (const field of ['include', 'reasoning', 'temperature']) expect(body).not.toHaveProperty(field);
    }
  });

  it.each([
    { message: "Unknown parameter: 'tools[0].strict'.", param: 'tools[0].strict' },
    { message: "Unknown parameter: 'tools[0].strict'." },
    {
      message:
        '[{"type":"extra_forbidden","loc":["body","tools",0,"function","strict"],"msg":"Extra inputs"}]',
    },
    { message: 'tools.1.strict: Extra inputs are not permitted' },
    { message: `Invalid JSON payload received. Unknown name "strict" at 'tools[0]': Cannot find field.` },
  ])('strict of a tool is refused: $message → all tools go without it, and stay (FE3)', async error => {
    const endpoint = await startEventEndpoint({ status: 400, error }, DONE);
    const tools = ['read', 'search', 'write'].map(name => tool(name));
    const reply = await runCall({ ...settings(endpoint.baseUrl), head: { tools } });
    const [first, second] = endpoint.bodies.map(body => body.tools as object[]);
    expect(second).toEqual(first?.map(({ strict: _strict, ...rest }: { strict?: boolean }) => rest));
    expect(first?.[0]).toHaveProperty('strict');
    expect(endpoint.bodies).toHaveLength(2);
    expect(reply.lessons).toEqual([{ id: 'strict tools 1', told: expect.stringContaining('strict') }]);
  });

  it.each([
    "Invalid schema for function 'read': In context=(), 'required' has to list every key, as strict is true.",
    'tools[0].parameters: not allowed in strict mode',
  ])('a schema is refused, in a word about strict: %s → that tool is changed (FE3)', async message => {
    const endpoint = await startEventEndpoint({ status: 400, error: { message } }, DONE);
    const reply = await runCall({ ...settings(endpoint.baseUrl), head: { tools: [tool('read')] } });
    expect(reply.lessons?.map(({ id }) => id)).toEqual([expect.stringMatching(/^tool read/)]);
  });

  it.each([
    {
      code: 'invalid_encrypted_content',
      message: 'The encrypted content could not be verified.',
    },
    {
      param: 'input',
      message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    },
    {
      param: 'input',
      message:
        "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    },
  ])(
    'reasoning that is not taken back there: $message → the same try without it, and it only',
    async error => {
      const endpoint = await startEventEndpoint({ status: 400, error }, DONE);
      await runCall({ ...settings(endpoint.baseUrl), messages: conversation(MODEL) });
      const [first, second] = endpoint.bodies;
      expect(JSON.stringify(first)).toContain('sealed');
      expect(JSON.stringify(second)).not.toContain('sealed');
      expect(second).toMatchObject({ include: ['reasoning.encrypted_content'], reasoning: first?.reasoning });
      expect(endpoint.bodies).toHaveLength(2);
    },
  );
});

function conversation(model: string): Message[] {
  const value = thought('rs_1', 'Hm.');
  const call = { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a' } } as const;
  const base = { at: 1, kind: 'assistant', role: 'executor', action: 'calling_tool', model } as const;
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0, costUsd: 0 };
  const reply: AssistantMessage = {
    ...base,
    id: 'm2',
    stopReason: 'tool_use',
    usage,
    content: [
      { type: 'reasoning', text: 'Hm.', data: { model, value } },
      { type: 'text', text: 'I read it.' },
      call,
    ],
  };
  const inside = [{ type: 'text', text: 'inside' } as const];
  return [
    user('Read it.'),
    reply,
    { id: 'm3', at: 1, kind: 'tool_result', content: [toolResult(call, 'executed', { content: inside })] },
    // Cut off while it was thinking: the API wants no reasoning that nothing follows.
    {
      ...base,
      id: 'm4',
      stopReason: 'interrupted',
      usage,
      content: [{ type: 'reasoning', text: '', data: { model, value: thought('rs_2') } }],
    },
  ];
}

describe('strict tools', () => {
  const closed = (properties: object, more: object = {}) => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  });
  const text = { type: 'string' };
  it.each<[string, Record<string, unknown>, boolean]>([
    ['closed, all required', closed({ path: text }), true],
    ['nothing to give', closed({}), true],
    ['closed objects in lists', closed({ list: { type: 'array', items: closed({ a: text }) } }), true],
    ['alternatives', closed({ a: { anyOf: [text, { type: 'null' }] } }), true],
    ['open', { type: 'object', properties: { path: text }, required: ['path'] }, false],
    ['an optional field', closed({ path: text }, { required: [] }), false],
    ['an open object within', closed({ a: { type: 'object', properties: {} } }), false],
    ['a keyword that is not known there', closed({ a: { type: 'string', default: 'x' } }), false],
    ['a list of anything', closed({ a: { type: 'array' } }), false],
    ['anything', closed({ a: {} }), false],
    ['alternatives at the top', { ...closed({}), anyOf: [closed({})] }, false],
    ['deeper than is allowed', nested(12), false],
  ])('%s', (_what, schema, strict) => {
    expect(isStrictSchema(schema)).toBe(strict);
  });

  function nested(levels: number): Record<string, unknown> {
    return closed(levels === 0 ? {} : { a: nested(levels - 1) });
  }
});
