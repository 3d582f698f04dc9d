import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import * as anthropic from '@anthropic-ai/sdk';
import * as openai from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { WireError } from '../../../packages/test-kit/scripted-reply.js';
import { createProvider } from '../../../src/models/protocols.js';
import { createProviders } from '../../../src/models/provider/providers.js';
import { classifyBreak } from '../../../src/models/sdk/classify.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import { MAX_RETRY_AFTER_MS, passedOnRetryAfterMs } from '../../../src/shared/retry-after.js';
import { type ScriptedReply, startScriptedModel } from '../../support/endpoint/model.js';
import { startEventEndpoint } from '../../support/event-endpoint.js';
import { failureOf, MODEL, runCall, tool, user } from '../../support/model-calls.js';
import { freePort } from '../../support/processes.js';
import { serve } from '../../support/serve.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => server.close()));
});

async function scripted(reply: ScriptedReply, options = {}) {
  const server = await startScriptedModel({ reply: [reply], ...options });
  open.push(server);
  return server;
}

const { model } = FAILURE;
const HALF = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'half' } }] })}\n\n`;
const PAGE = '<html>hello</html>';

interface Row {
  when: string;
  error: WireError;
  type: string;
  retryable: boolean;
  says: RegExp;
}

/** What an endpoint says of a later try. */
const SAID: [number, boolean, string][] = [
  [429, false, model.forbidden],
  [500, false, model.server],
  [503, false, model.overloaded],
  [408, false, model.timeout],
  [409, false, model.server],
  [401, true, model.auth],
  [403, true, model.server],
  [404, true, model.server],
  [400, true, model.server],
];

const TABLE: Row[] = [
  {
    when: '429',
    error: { status: 429, message: 'slow down' },
    type: model.rateLimited,
    retryable: true,
    says: /slow down/,
  },
  { when: '529', error: { status: 529 }, type: model.overloaded, retryable: true, says: /HTTP 529/ },
  { when: '503', error: { status: 503 }, type: model.overloaded, retryable: true, says: /HTTP 503/ },
  { when: '500', error: { status: 500, message: 'oops' }, type: model.server, retryable: true, says: /oops/ },
  {
    when: '502 with an HTML page',
    error: { status: 502, body: '<html>Bad gateway</html>' },
    type: model.server,
    retryable: true,
    says: /HTTP 502/,
  },
  { when: '504', error: { status: 504 }, type: model.server, retryable: true, says: /HTTP 504/ },
  { when: '408', error: { status: 408 }, type: model.timeout, retryable: true, says: /HTTP 408/ },
  {
    when: '401',
    error: { status: 401, message: 'Incorrect API key' },
    type: model.auth,
    retryable: false,
    says: /OPENAI_API_KEY/,
  },
  {
    when: '403',
    error: { status: 403, message: 'no access' },
    type: model.forbidden,
    retryable: false,
    says: /may not use this model/,
  },
  { when: '402', error: { status: 402 }, type: model.forbidden, retryable: false, says: /no credit/ },
  {
    when: '429 for used-up quota',
    error: { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' },
    type: model.forbidden,
    retryable: false,
    says: /no credit or quota left/,
  },
  {
    when: '429 for a limit a minute, called quota',
    error: {
      status: 429,
      message:
        'You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.',
    },
    type: model.rateLimited,
    retryable: true,
    says: /retry in 34/,
  },
  {
    when: '403 for a limit a minute, which names a wait in its body (Gemini)',
    error: {
      status: 403,
      body: '[{"error":{"code":403,"message":"Not now.","status":"PERMISSION_DENIED","details":[{"reason":"RATE_LIMIT_EXCEEDED"},{"retryDelay":"2s"}]}}]',
    },
    type: model.rateLimited,
    retryable: true,
    says: /Not now/,
  },
  {
    when: '403 with a wait in its headers',
    error: { status: 403, message: 'Not now.', headers: { 'retry-after': '2' } },
    type: model.rateLimited,
    retryable: true,
    says: /Not now/,
  },
  {
    when: '403 with a wait, and no further try',
    error: { status: 403, message: 'no', headers: { 'retry-after': '2', 'x-should-retry': 'false' } },
    type: model.forbidden,
    retryable: false,
    says: /may not use this model/,
  },
  {
    when: '400',
    error: { status: 400, message: 'bad messages' },
    type: model.badRequest,
    retryable: false,
    says: /bad messages/,
  },
  {
    when: '422',
    error: { status: 422, message: 'unprocessable' },
    type: model.badRequest,
    retryable: false,
    says: /unprocessable/,
  },
  {
    when: '404 for the model',
    error: { status: 404, code: 'model_not_found', message: 'The model `gpt-5-mini` does not exist' },
    type: model.unknownModel,
    retryable: false,
    says: /does not know the model "gpt-5-mini"/,
  },
  {
    when: '404 as Ollama says it',
    error: { status: 404, body: '{"error":"model \'gpt-5-mini\' not found, try pulling it first"}' },
    type: model.unknownModel,
    retryable: false,
    says: /try pulling it first/,
  },
  {
    when: '404 for the path',
    error: { status: 404, body: '404 page not found' },
    type: model.badRequest,
    retryable: false,
    says: /check OPENAI_BASE_URL/,
  },
  {
    when: '400 for the context',
    error: {
      status: 400,
      code: 'context_length_exceeded',
      message: "This model's maximum context length is 8192 tokens",
    },
    type: model.contextTooLong,
    retryable: false,
    says: /does not fit/,
  },
  { when: '413', error: { status: 413 }, type: model.contextTooLong, retryable: false, says: /does not fit/ },
  {
    when: '400 for the context, as llama.cpp says it',
    error: { status: 400, message: 'the request exceeds the available context size' },
    type: model.contextTooLong,
    retryable: false,
    says: /context size/,
  },
  {
    when: '400 from the content filter of DashScope',
    error: {
      status: 400,
      code: 'data_inspection_failed',
      message: 'Input data may contain inappropriate content.',
    },
    type: model.contentFilter,
    retryable: false,
    says: /inappropriate/,
  },
  {
    when: '400 with no more than the code of DashScope’s content filter',
    error: { status: 400, code: 'DataInspectionFailed', message: 'Rejected.' },
    type: model.contentFilter,
    retryable: false,
    says: /Rejected/,
  },
  {
    when: '400 from a content filter',
    error: { status: 400, code: 'content_filter', message: 'The response was filtered' },
    type: model.contentFilter,
    retryable: false,
    says: /filtered/,
  },
  ...SAID.map(([status, again, type]) => ({
    when: `${status} with x-should-retry: ${again}`,
    error: { status, message: 'no', headers: { 'x-should-retry': `${again}` } },
    type,
    retryable: again,
    says: /no/,
  })),
  {
    when: 'a list with one error, as Gemini sends it',
    error: { status: 400, body: '[{"error":{"code":400,"message":"Bad thing"}}]' },
    type: model.badRequest,
    retryable: false,
    says: /Bad thing/,
  },
  {
    when: 'a detail without error, as FastAPI sends it',
    error: { status: 400, body: '{"detail":"Bad field"}' },
    type: model.badRequest,
    retryable: false,
    says: /Bad field/,
  },
];

describe('failure classifier (M6)', () => {
  it.each(TABLE)('model call: $when → $type, retryable $retryable', async row => {
    const server = await scripted({ error: row.error });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl }));
    expect(failure).toMatchObject({ type: row.type, nonRetryable: !row.retryable });
    expect(failure.message).toMatch(row.says);
    expect(failure.message).toMatch(/[^.]\.$/);
    expect(failure.message).toContain('openai/gpt-5-mini');
    expect(failure.message).toContain(server.baseUrl);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    {
      when: 'its code is a status',
      error: { status: 200, code: '429', message: 'busy' },
      type: model.rateLimited,
    },
    {
      when: 'its type says overloaded',
      error: { status: 200, type: 'overloaded_error' },
      type: model.overloaded,
    },
    { when: 'it says nothing known', error: { status: 200, message: 'lost it' }, type: model.server },
  ])('error event in the stream: $when → $type', async ({ error, type }) => {
    const server = await scripted({ text: 'Hello there', error: { ...error, afterChunks: 1 } });
    expect(await failureOf(runCall({ baseUrl: server.baseUrl }))).toMatchObject({ type });
  });

  const HALF_SAID = { choices: [{ index: 0, delta: { content: 'Hello' } }] };
  it.each<[string, object[], string, RegExp]>([
    [
      "MiniMax's wrong key",
      [
        {
          choices: null,
          base_resp: { status_code: 1004, status_msg: 'login fail: Please carry the API secret key' },
        },
      ],
      model.auth,
      /login fail: .* Check the key in OPENAI_API_KEY/,
    ],
    [
      "MiniMax's empty account",
      [{ choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }],
      model.forbidden,
      /insufficient balance\. .* no credit/,
    ],
    [
      "MiniMax's failure after half a reply",
      [HALF_SAID, { choices: null, base_resp: { status_code: 1000, status_msg: 'unknown error' } }],
      model.server,
      /unknown error/,
    ],
    [
      "a gateway's status in the body",
      [{ success: false, code: 429, msg: 'busy' }],
      model.rateLimited,
      /busy/,
    ],
    [
      "DashScope's code",
      [{ code: 'InvalidApiKey', message: 'Invalid API-key provided.' }],
      model.auth,
      /Check the key/,
    ],
    ['a detail', [{ detail: 'Not authenticated' }], model.server, /Not authenticated/],
  ])('200 that holds no whole reply but %s: %j → %s, in its words', async (_who, events, type, says) => {
    const asStream = await startEventEndpoint(...[events]);
    const asBody = await serve((_req, res) => void res.end(JSON.stringify(events.at(-1))));
    for (const baseUrl of [asStream.baseUrl, asBody]) {
      const failure = await failureOf(runCall({ baseUrl, endpoint: { apiKey: 'sk-of-this-test' } }));
      expect(failure).toMatchObject({ type, message: expect.stringMatching(says) });
    }
  });

  it('whole reply beside a status of success → the reply', async () => {
    const end = {
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      base_resp: { status_code: 0, status_msg: 'success' },
    };
    const { baseUrl } = await startEventEndpoint([HALF_SAID, end, { message: 'bye' }]);
    expect(await runCall({ baseUrl })).toMatchObject({ content: [{ type: 'text', text: 'Hello' }] });
  });

  it('reply that is cut beside a status of success → a lost connection', async () => {
    const { baseUrl } = await startEventEndpoint([
      { ...HALF_SAID, base_resp: { status_code: 0, status_msg: 'success' } },
    ]);
    expect(await failureOf(runCall({ baseUrl }))).toMatchObject({ type: model.connection });
  });

  it.each(['content_filter', 'refusal'] as const)(
    'reply that ends with %s → that stop reason, and what the endpoint counted (M13)',
    async stopReason => {
      const server = await scripted({ text: 'I', stopReason });
      const reply = await runCall({ baseUrl: server.baseUrl });
      expect(reply).toMatchObject({ stopReason, content: [{ type: 'text', text: 'I' }] });
      expect(reply.usage.outputTokens).toBeGreaterThan(0);
      expect(reply.usage.estimated).toBeUndefined();
    },
  );

  it('reply with a call in its text that ends with a refusal → no call is read from it (M13)', async () => {
    const text = JSON.stringify({ action: 'read', params: { path: 'a' } });
    const server = await scripted({ text, stopReason: 'refusal' });
    const head = { tools: [tool('read')], output: 'execution', dialect: 'envelope' } as const;
    const reply = await runCall({ baseUrl: server.baseUrl, head: { ...head, tools: [...head.tools] } });
    expect(reply).toMatchObject({ stopReason: 'refusal', content: [{ type: 'text', text }] });
    expect(reply.outputText).toBeUndefined();
  });
});

describe('Retry-After (M6)', () => {
  it('model call: 429 with retry-after of 7 seconds → nextRetryDelay 7,000 ms', async () => {
    const server = await scripted({ error: { status: 429, headers: { 'retry-after': '7' } } });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl }));
    expect(failure.nextRetryDelay).toBe(7_000);
  });

  it.each([
    ['its headers', { status: 403, message: 'Out of calls.', headers: { 'retry-after': '2' } }],
    [
      'its body',
      { status: 403, body: '{"error":{"message":"Out of calls.","details":[{"retryDelay":"2s"}]}}' },
    ],
    [
      'its words (Azure API Management)',
      { status: 403, message: 'Out of call volume quota. Quota will be replenished in 00:00:02.' },
    ],
  ])('model call: 403 that names a wait in %s → nextRetryDelay 2,000 ms', async (_where, error) => {
    const server = await scripted({ error });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl }));
    expect(failure).toMatchObject({ type: model.rateLimited, nextRetryDelay: 2_000 });
  });

  it('model call: 429 with retry-after of 0, or a date that has passed → tried again after the usual pause', async () => {
    for (const wait of ['0', '-1', 'Wed, 21 Oct 2015 07:28:00 GMT']) {
      const server = await scripted({ error: { status: 429, headers: { 'retry-after': wait } } });
      const failure = await failureOf(runCall({ baseUrl: server.baseUrl }));
      expect(failure.nonRetryable).toBe(false);
      // The server takes a delay of 0 for none at all, and makes no further try.
      expect(failure.nextRetryDelay).toBeUndefined();
    }
  });

  const now = Date.parse('2030-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Tue, 01 Jan 2030 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 31 Dec 2029 00:00:00 GMT' }, null],
    [{ 'retry-after': '0' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after-ms': '0', 'retry-after': '3' }, null],
    [{ 'retry-after': '86400' }, MAX_RETRY_AFTER_MS],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'llm_provider-retry-after': '7' }, 7_000],
    [{ 'retry-after': '2', 'llm_provider-retry-after-ms': '9000' }, 2_000],
    [{}, null],
  ])('headers %j → %s ms', (headers, wait) => {
    expect(passedOnRetryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(wait);
  });
});

describe('failures without an answer', () => {
  it('nobody listens → model.connection that names the address and the variable', async () => {
    const port = await freePort();
    const failure = await failureOf(runCall({ baseUrl: `http://127.0.0.1:${port}/v1` }));
    expect(failure).toMatchObject({ type: model.connection, nonRetryable: false });
    expect(failure.message).toMatch(/ECONNREFUSED/);
    expect(failure.message).toContain(`127.0.0.1:${port}`);
    expect(failure.message).toContain('OPENAI_BASE_URL');
  });

  it.each([
    [
      'headers of 40 KB',
      `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(40_000)}\r\n\r\n`,
      model.tooLarge,
      'response headers',
    ],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', model.badResponse, 'as an HTTP server does'],
  ])('%s in place of an answer → says so, and what sets the address', async (_what, sent, type, words) => {
    const server = createServer(socket => {
      socket.on('error', () => undefined).once('data', () => socket.end(sent));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf(runCall({ baseUrl: `http://127.0.0.1:${port}/v1` }));
    server.close();
    expect(failure).toMatchObject({ type, nonRetryable: type === model.tooLarge });
    expect(failure.message).toContain(words);
    expect(failure.message).toContain(`127.0.0.1:${port}`);
    expect(failure.message).toMatch(/OPENAI_BASE_URL/);
    expect(failure.message).not.toContain('Is a model server running');
  });

  it('connection dropped in the middle of a reply → model.connection', async () => {
    const server = await scripted({ text: 'x'.repeat(500), fault: 'stream.cut-in-text' });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl }));
    expect(failure).toMatchObject({ type: model.connection, nonRetryable: false });
  });

  it.each([
    [
      'ends without a finish reason → model.connection, never a whole reply',
      HALF,
      model.connection,
      /finish reason/,
    ],
    ['is no stream → model.bad_response that names the variable', PAGE, model.badResponse, /OPENAI_BASE_URL/],
    [
      'has an event that is not JSON → model.bad_response',
      'data: {"choices": [\n\n',
      model.badResponse,
      /not JSON/,
    ],
  ])('an answer that %s', async (_what, body, type, says) => {
    const server = await scripted({
      error: { status: 200, body, headers: { 'content-type': 'text/event-stream' } },
    });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl }));
    expect(failure).toMatchObject({ type });
    expect(failure.message).toMatch(says);
  });

  it('stalled stream → model.stalled', async () => {
    const server = await scripted({ text: 'x'.repeat(500), fault: 'stream.stalls-in-text' });
    const deps = { limits: { stallMs: 80 } };
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl, deps }));
    expect(failure).toMatchObject({ type: model.stalled, nonRetryable: false });
    expect(failure.message).toMatch(/0\.08 s/);
  });

  it('no first part → model.stalled', async () => {
    const server = await scripted({ text: 'x', hold: { until: new Promise(() => undefined) } });
    const deps = { limits: { firstPartMs: 80 } };
    expect(await failureOf(runCall({ baseUrl: server.baseUrl, deps }))).toMatchObject({
      type: model.stalled,
    });
  });

  it('a role without streaming: no first part → waited for until the call has to end (A3)', async () => {
    const { baseUrl } = await scripted({ text: 'x', hold: { until: new Promise(() => undefined) } });
    const deps = { limits: { firstPartMs: 20, stallMs: 20 } };
    const call = runCall({ baseUrl, deps, head: { streaming: false }, startToCloseTimeoutMs: 200 });
    expect(await failureOf(call)).toMatchObject({ type: model.timeout });
  });

  it('call longer than its limit → model.timeout, before the limit of the activity', async () => {
    const server = await scripted({ text: 'x'.repeat(50_000), chunkChars: 1, delayMs: 10 });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl, startToCloseTimeoutMs: 200 }));
    expect(failure).toMatchObject({ type: model.timeout, nonRetryable: false });
  });
});

describe('messages (K3)', () => {
  const key = 'sk-secret-1234567890abcdef';

  it.each([key, 'plain words of a local key'])(
    'endpoint repeats the key %s → the message does not',
    async key => {
      const error = { status: 401, message: `Incorrect API key provided: ${key}. Also Bearer abc.def.` };
      const server = await scripted({ error });
      const failure = await failureOf(runCall({ baseUrl: server.baseUrl, endpoint: { apiKey: key } }));
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
      expect(failure.message).not.toContain(key);
      expect(failure.message).not.toContain('abc.def');
      expect(failure.message).toContain('OPENAI_API_KEY');
    },
  );

  it('401 and no key is set → says that none was sent', async () => {
    const server = await scripted({ error: { status: 401, message: 'Who are you?' } });
    const { message } = await failureOf(
      runCall({ baseUrl: server.baseUrl, endpoint: { apiKey: undefined } }),
    );
    expect(message).toMatch(/HTTP 401: Who are you\?\. No key was sent: OPENAI_API_KEY is not set\.$/);
  });

  it('endpoint ends its words with an exclamation mark → the sentence ends once', async () => {
    const server = await scripted({ error: { status: 500, message: 'Sorry about that!' } });
    const { message } = await failureOf(runCall({ baseUrl: server.baseUrl }));
    expect(message).toMatch(/HTTP 500: Sorry about that\.$/);
  });

  it.each([
    [
      'k',
      'Key k (or "k") is not known: ask the keeper.',
      'Key [key] (or "[key]") is not known: ask the keeper',
    ],
    ['secret7', 'Not secret7s; secret7.', 'Not secret7s; [key]'],
    ['secret78', 'Not secret78s.', 'Not [key]s'],
  ])('endpoint repeats the key %s → a short one is masked as a word of its own', async (key, said, shown) => {
    const server = await scripted({ error: { status: 400, message: said } });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl, endpoint: { apiKey: key } }));
    expect(failure.message).toContain(shown);
  });

  it('endpoint repeats the request → the message does not', async () => {
    const secret = 'My password is hunter2, please keep it to yourself.';
    const error = { status: 400, message: `Cannot handle: ${secret}` };
    const server = await scripted({ error });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl, messages: [user(secret)] }));
    expect(failure.message).toMatch(/Cannot handle/);
    expect(failure.message).not.toContain('hunter2');
  });

  it('endpoint sends back the body of the request → the message does not', async () => {
    const body = JSON.stringify({ detail: [{ msg: 'Field required', input: { messages: ['private'] } }] });
    const server = await scripted({ error: { status: 422, body } });
    const failure = await failureOf(runCall({ baseUrl: server.baseUrl }));
    expect(failure.message).toMatch(/Field required/);
    expect(failure.message).not.toContain('private');
  });

  it('refusal with its details in its message (Mistral) → what it says, and the option is left out', async () => {
    const detail = [
      { type: 'extra_forbidden', loc: ['body', 'max_tokens'], msg: 'Extra inputs are not permitted' },
    ];
    const body = JSON.stringify({ object: 'error', message: { detail }, type: 'invalid_request_error' });
    const error = { status: 422, body };
    const server = await startScriptedModel({
      reply: [{ error }, { text: 'Yes.' }, { error: { ...error, status: 403 } }],
    });
    open.push(server);
    const { baseUrl } = server;
    await runCall({ baseUrl, head: { maxOutputTokens: 100 } });
    expect(server.requests.map(({ body }) => 'max_tokens' in body)).toEqual([true, false]);
    expect((await failureOf(runCall({ baseUrl }))).message).toContain('Extra inputs are not permitted');
  });

  it.each([
    [true, /Is this machine online\? The address is the provider's own: OPENAI_BASE_URL is not set\.$/],
    [false, /Is a model server running at this address\? The address is set by OPENAI_BASE_URL\.$/],
  ])('no connection, with the provider’s own address: %s → says who set the address', (ownAddress, said) => {
    const names = { provider: 'openai', model: 'gpt-5-mini', endpoint: 'https://api.openai.com/v1' };
    const variables = { keyVariable: 'OPENAI_API_KEY', urlVariable: 'OPENAI_BASE_URL', addressHint: '' };
    const site = {
      ...names,
      ...variables,
      ownAddress,
      hasKey: true,
      secrets: [],
      requestTexts: [],
      requestChars: 0,
    };
    const error = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    expect(classifyBreak(error, site, 0).message).toMatch(said);
  });

  it.each([
    ['OpenAI', new openai.APIConnectionTimeoutError()],
    ['Anthropic', new anthropic.APIConnectionTimeoutError()],
  ])(
    'no answer within the time of the SDK of %s → a time-out, never a server that is not there',
    (_sdk, error) => {
      const names = { provider: 'own', model: 'm', endpoint: 'http://127.0.0.1:1/v1' };
      const variables = { keyVariable: 'KEY', urlVariable: 'URL', addressHint: '' };
      const site = {
        ...names,
        ...variables,
        ownAddress: false,
        hasKey: true,
        secrets: [],
        requestTexts: [],
        requestChars: 0,
      };
      const { type, message } = classifyBreak(error, site, 0);
      expect(type).toBe('model.timeout');
      expect(message).toMatch(/did not answer in time/);
    },
  );

  it('query of the base URL → sent, but not in messages', async () => {
    const port = await freePort();
    const failure = await failureOf(runCall({ baseUrl: `http://127.0.0.1:${port}/v1?key=abc` }));
    expect(failure.type).toBe(model.connection);
    expect(failure.message).not.toMatch(/abc/);
  });

  it.each(['localhost', 'not a url', 'file:///v1', 'http://me:pass@host/v1'])(
    'base URL %s → model.bad_request that names the variable and not the password',
    baseUrl => {
      const make = () => createProvider({ name: 'openai', baseUrl });
      expect(make).toThrowError(expect.objectContaining({ type: model.badRequest }));
      expect(make).toThrowError(/OPENAI_BASE_URL/);
      expect(make).not.toThrowError(/pass@/);
    },
  );
});

describe('providers (M3)', () => {
  it.each([
    ['gpt-5-mini', 'openai/gpt-5-mini'],
    ['openai/', 'openai/gpt-5-mini'],
    ['nobody/model', 'no endpoint "nobody"'],
    ['constructor/x', 'no endpoint "constructor"'],
  ])('model id %s → model.unknown_model that says %s', (id, said) => {
    const providers = createProviders({
      openai: () => createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }),
    });
    const resolve = () => providers.resolve(id);
    expect(resolve).toThrowError(expect.objectContaining({ type: model.unknownModel }));
    expect(resolve).toThrowError(said);
  });

  it('two calls → one provider; the rest of the id is the model', () => {
    let made = 0;
    const providers = createProviders({
      openai: () => {
        made++;
        return createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:9/v1' });
      },
    });
    expect(providers.resolve('openai/meta/llama').model).toBe('meta/llama');
    expect(providers.resolve(MODEL).model).toBe('gpt-5-mini');
    expect(made).toBe(1);
  });

  it('neither key nor base URL → model.auth that names both variables', () => {
    expect(() => createProvider({ name: 'openai' })).toThrowError(/OPENAI_API_KEY, or OPENAI_BASE_URL/);
  });

  it('listModels: wrong key → model.auth; right key → ids (M1)', async () => {
    const server = await startScriptedModel({ reply: [], models: ['a', 'b'] });
    open.push(server);
    const provider = createProvider({ name: 'openai', baseUrl: server.baseUrl });
    expect(await provider.listModels(new AbortController().signal)).toEqual(['a', 'b']);
  });
});
