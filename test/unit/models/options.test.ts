/** What a request asks for, in the words of each protocol; and a whole reply, for programs. */
import { describe, expect, it } from 'vitest';
import { toMessagesBody } from '../../../src/models/anthropic/request-body.js';
import { toChatBody } from '../../../src/models/chat/provider.js';
import { complete } from '../../../src/models/complete.js';
import { createProvider } from '../../../src/models/protocols.js';
import type { Protocol } from '../../../src/models/provider/endpoint.js';
import type { ModelDelta, ModelRequest } from '../../../src/models/provider/provider.js';
import { PLAIN_REQUEST } from '../../../src/models/provider/provider.js';
import { endedAt } from '../../../src/models/reply/stop-texts.js';
import { toResponsesBody } from '../../../src/models/responses/request-body.js';
import { startScriptedModel } from '../../support/endpoint/model.js';
import { startEventEndpoint } from '../../support/event-endpoint.js';
import { tool, user } from '../../support/model-calls.js';

const BODY: Record<Protocol, (request: ModelRequest) => object> = {
  'openai-compatible': request => toChatBody({ name: 'home', host: 'localhost' }, request),
  'openai-responses': request => toResponsesBody('home', request),
  anthropic: request => toMessagesBody('home', request),
};
const CHAT = 'openai-compatible';
const RESPONSES = 'openai-responses';
const ANTHROPIC = 'anthropic';
const TOOLS = { tools: [tool('read')] };

describe('options on the wire (M1)', () => {
  it.each<[Protocol, string, Partial<ModelRequest>, object]>([
    [CHAT, 'temperature', { temperature: 0.3 }, { temperature: 0.3 }],
    [RESPONSES, 'temperature', { temperature: 0.3 }, { temperature: 0.3 }],
    [ANTHROPIC, 'temperature', { temperature: 0.3 }, { temperature: 0.3 }],
    [CHAT, 'top_p', { topP: 0.9 }, { top_p: 0.9 }],
    [RESPONSES, 'top_p', { topP: 0.9 }, { top_p: 0.9 }],
    [ANTHROPIC, 'top_p', { topP: 0.9 }, { top_p: 0.9 }],
    [CHAT, 'stop', { stop: ['END'] }, { stop: ['END'] }],
    [ANTHROPIC, 'stop', { stop: ['END'] }, { stop_sequences: ['END'] }],
    [CHAT, 'longest reply', { maxOutputTokens: 77 }, { max_tokens: 77 }],
    [RESPONSES, 'longest reply', { maxOutputTokens: 77 }, { max_output_tokens: 77 }],
    [ANTHROPIC, 'longest reply', { maxOutputTokens: 77 }, { max_tokens: 77 }],
    [CHAT, 'no call', { ...TOOLS, toolChoice: 'none' }, { tool_choice: 'none' }],
    [RESPONSES, 'no call', { ...TOOLS, toolChoice: 'none' }, { tool_choice: 'none' }],
    [CHAT, 'a call', { ...TOOLS, toolChoice: 'required' }, { tool_choice: 'required' }],
    [RESPONSES, 'a call', { ...TOOLS, toolChoice: 'required' }, { tool_choice: 'required' }],
    [ANTHROPIC, 'a call', { ...TOOLS, toolChoice: 'required' }, { tool_choice: { type: 'any' } }],
    [CHAT, 'a form', { output: 'plan' }, { response_format: { type: 'json_schema' } }],
    [RESPONSES, 'a form', { output: 'plan' }, { text: { format: { type: 'json_schema' } } }],
    [CHAT, 'thinking', { reasoning: 'low' }, { reasoning_effort: 'low' }],
    [RESPONSES, 'thinking', { reasoning: 'low' }, { reasoning: { effort: 'low' } }],
  ])('%s, %s → %j as %j', (protocol, _what, asked, expected) => {
    const request = { ...PLAIN_REQUEST, model: 'm', messages: [user('Hello')], ...asked };
    expect(BODY[protocol](request)).toMatchObject(expected);
  });

  const CLOSED = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const OPEN = { ...CLOSED, required: [] };
  const asked = (schema: object, beside: Partial<ModelRequest> = {}) => ({
    ...{ ...PLAIN_REQUEST, model: 'm', messages: [user('Hello')], ...beside },
    schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema },
  });
  const NO_CALL = { ...TOOLS, toolChoice: 'none' } as const;

  it.each([
    ['closed', CLOSED, true],
    ['open', OPEN, false],
  ])(
    'a schema of the answer that is %s → bound to it, beside tools too; strict only as far as endpoints take that (TA3)',
    (_what, schema, strict) => {
      for (const beside of [{}, NO_CALL]) {
        const form = { type: 'json_schema', name: 'answer', strict, schema };
        const { type, ...json_schema } = form;
        expect(BODY[CHAT](asked(schema, beside))).toHaveProperty('response_format', { type, json_schema });
        expect(BODY[RESPONSES](asked(schema, beside))).toHaveProperty('text', { format: form });
        const { output_config: config } = BODY[ANTHROPIC](asked(schema, beside)) as {
          output_config?: object;
        };
        expect(config).toEqual(strict ? { format: { type, schema } } : undefined);
      }
    },
  );

  it.each(Object.keys(BODY) as Protocol[])('%s, a whole reply → no stream asked for (A3)', protocol => {
    const request = { ...PLAIN_REQUEST, model: 'm', messages: [user('Hello')] };
    expect(BODY[protocol](request)).toHaveProperty('stream', true);
    const body = BODY[protocol]({ ...request, streaming: false });
    expect(body).toHaveProperty('stream', false);
    expect(body).not.toHaveProperty('stream_options');
  });

  it.each(Object.keys(BODY) as Protocol[])('%s, nothing asked for → nothing said', protocol => {
    const body = BODY[protocol]({ ...PLAIN_REQUEST, model: 'm', messages: [user('Hello')] });
    for (const field of [
      'temperature',
      'top_p',
      'stop',
      'stop_sequences',
      'tools',
      'tool_choice',
      'response_format',
      'text',
    ])
      expect(body).not.toHaveProperty(field);
  });
});

describe('complete', () => {
  it.each(Object.keys(BODY) as Protocol[])('%s → the whole reply', async protocol => {
    const reply = {
      reasoning: 'Hm.',
      text: 'Look.',
      toolCalls: [{ name: 'read', arguments: { path: 'a' }, id: 't1' }],
    };
    const server = await startScriptedModel({ reply: [reply] });
    try {
      const baseUrl = protocol === ANTHROPIC ? server.baseUrl.replace(/\/v1$/, '') : server.baseUrl;
      const provider = createProvider({ name: 'home', baseUrl, protocol });
      const answer = await complete(provider, { model: 'm', messages: [user('Hello')], ...TOOLS });
      expect(answer).toMatchObject({ text: 'Look.', stopReason: 'tool_use' });
      expect(answer.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'read', input: { path: 'a' } });
      expect(answer.usage?.outputTokens).toBeGreaterThan(0);
    } finally {
      await server.close();
    }
  });

  it('aborted → its reason', async () => {
    const { baseUrl } = await startEventEndpoint([]);
    const signal = AbortSignal.abort(new Error('Enough.'));
    const asked = complete(
      createProvider({ name: 'home', baseUrl }),
      { model: 'm', messages: [user('Hello')] },
      { signal },
    );
    await expect(asked).rejects.toThrow('Enough.');
  });
});

describe('texts that end a reply, where the endpoint does not know them', () => {
  const END: ModelDelta = { type: 'end', stopReason: 'max_tokens', servedModel: 'm' };
  async function* said(...texts: string[]): AsyncIterable<ModelDelta> {
    for (const text of texts) yield { type: 'text', text };
    yield END;
  }

  it.each<[string[], string[], string, boolean]>([
    [['One STOP two'], ['STOP'], 'One ', true],
    [['One S', 'T', 'OP two'], ['STOP'], 'One ', true],
    [['One S', 'T', 'ART'], ['STOP'], 'One START', false],
    [['One ST'], ['STOP'], 'One ST', false],
    [['a', 'b', 'c'], ['bc', 'c'], 'a', true],
    [['One'], [], 'One', false],
    [['One'], [''], 'One', false],
  ])('%j, ended by %j → %j', async (texts, stops, expected, ended) => {
    const deltas: ModelDelta[] = [];
    for await (const delta of endedAt(said(...texts), stops)) deltas.push(delta);
    const told = deltas.flatMap(delta => (delta.type === 'text' ? [delta] : []));
    expect(told.map(({ text }) => text).join('')).toBe(expected);
    expect(deltas.at(-1)).toEqual(ended ? { ...END, stopReason: 'end_turn', servedModel: null } : END);
  });
});
