/** What endpoints say of requests that they refuse, and what is read from it. */
import { describe, expect, it } from 'vitest';
import { errorOfBody } from '../../../../src/models/refusals/error-body.js';
import * as failureWords from '../../../../src/models/refusals/failure-words.js';
import * as requestWords from '../../../../src/models/refusals/words.js';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import { waitInWords } from '../../../../src/shared/retry-after.js';
import { type Answer, startEventEndpoint } from '../../../support/event-endpoint.js';
import { failureOf, runCall, user } from '../../../support/model-calls.js';

const words = { ...requestWords, ...failureWords };
const GROUPS = Object.entries<object>(words).flatMap(([name, group]) =>
  'met' in group ? [[name, group as requestWords.RefusalWords] as const] : [],
);

describe('words of refusals', () => {
  it.each(GROUPS.flatMap(([name, group]) => group.met.map(met => [name, ...met, group.words] as const)))(
    '%s, %s %d: %s → read as it (FE7)',
    (_name, _endpoint, year, said, pattern) => {
      expect(said).toMatch(pattern);
      expect(year).toBeGreaterThan(2021);
    },
  );

  it('endpoints → of at least eight kinds (FE7)', () => {
    expect(new Set(GROUPS.flatMap(([, { met }]) => met.map(([endpoint]) => endpoint))).size).toBeGreaterThan(
      8,
    );
  });

  it.each(words.TOO_LONG.met)(
    'a call that %s (%d) refuses with "%s" → context too long (FE7)',
    async (_who, _year, said) => {
      const { baseUrl } = await startEventEndpoint({ status: 400, error: { message: said } });
      expect((await failureOf(runCall({ baseUrl }))).type).toBe(FAILURE.model.contextTooLong);
    },
  );

  it.each([
    ...words.WRONG_KEY.met.map(
      met => [400, FAILURE.model.auth, /Check the key in OPENAI_API_KEY/, ...met] as const,
    ),
    ...words.WRONG_KEY.met.map(met => [403, FAILURE.model.auth, /Check the key in/, ...met] as const),
    ...words.UNKNOWN_MODEL.met.map(
      met => [404, FAILURE.model.unknownModel, /does not know the model "gpt-5-mini"/, ...met] as const,
    ),
    ...[400, 403, 412, 429].flatMap(status =>
      words.USED_UP.met.map(
        met => [status, FAILURE.model.forbidden, /no credit or quota left/, ...met] as const,
      ),
    ),
  ])(
    'HTTP %d → %s, and advice that matches %s: %s (%d) says "%s" (FE7)',
    async (status, type, advice, _who, _year, message) => {
      const { baseUrl } = await startEventEndpoint({ status, error: { message } });
      const endpoint = { apiKey: 'sk-of-this-test' };
      const failure = await failureOf(runCall({ baseUrl, endpoint }));
      expect(failure).toMatchObject({ type, nonRetryable: true });
      expect(failure.message).toMatch(advice);
      expect(failure.message).not.toMatch(/[.。]\.( |$)|protocol is not spoken/);
    },
  );

  it('a wrong key that only the conversation speaks of → no failure of the key (M6)', async () => {
    const goal = 'Find out why the log says: API key not valid. Please pass a valid API key.';
    const error = { message: `Bad message: ${goal}` };
    const { baseUrl } = await startEventEndpoint({ status: 400, error });
    const failure = await failureOf(runCall({ baseUrl, messages: [user(goal)] }));
    expect(failure.type).toBe(FAILURE.model.badRequest);
  });

  const UNHEARD_OF = 'This is more than we handle here; mind the size.';
  it.each([
    ['a large request', 'x'.repeat(60_000), UNHEARD_OF, 422, FAILURE.model.contextTooLong],
    ['a small request', 'x', UNHEARD_OF, 422, FAILURE.model.badRequest],
    ['a large request', 'x'.repeat(60_000), 'Nonsense.', 400, FAILURE.model.badRequest],
  ])(
    '%s, refused in words that nobody knows → by the net (FE7)',
    async (_what, text, message, status, type) => {
      const { baseUrl } = await startEventEndpoint({ status, error: { message } });
      expect((await failureOf(runCall({ baseUrl, messages: [user(text)] }))).type).toBe(type);
    },
  );
});

describe('errors within errors', () => {
  const raw =
    '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2 tokens > 1 maximum"}}';
  it.each<[string, object, Record<string, unknown>]>([
    [
      "OpenRouter's metadata.raw",
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw, provider_name: 'Anthropic' },
        },
      },
      {
        message: 'Provider returned error: prompt is too long: 2 tokens > 1 maximum',
        type: 'invalid_request_error',
      },
    ],
    [
      'raw as plain text',
      {
        error: {
          message: 'Provider returned error',
          code: 429,
          metadata: { raw: 'glm is busy, retry in 25s' },
        },
      },
      { message: 'Provider returned error: glm is busy, retry in 25s', wait_ms: 25_000 },
    ],
    [
      'JSON as a message',
      {
        error: {
          message: '{"error":{"code":400,"message":"Bad thing","status":"INVALID_ARGUMENT"}}',
          code: 400,
        },
      },
      { message: 'Bad thing' },
    ],
    [
      'RetryInfo',
      {
        error: {
          code: 429,
          message: 'You exceeded your current quota.',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '58s' }],
        },
      },
      { message: 'You exceeded your current quota.', wait_ms: 58_000 },
    ],
    [
      'a list of fields',
      { detail: [{ loc: ['body', 'messages', 2], msg: 'Extra inputs are not permitted' }] },
      { message: '[{"loc":["body","messages",2],"msg":"Extra inputs are not permitted"}]' },
    ],
    [
      'a param of the provider behind',
      {
        error: {
          message: 'Provider returned error',
          metadata: { raw: '{"error":{"message":"No.","param":"top_p"}}' },
        },
      },
      { message: 'Provider returned error: No.', param: 'top_p' },
    ],
    ['a text', { error: 'no such model' }, { message: 'no such model' }],
    [
      'a list of errors',
      { success: false, errors: [{ message: 'No such model', code: 5007 }] },
      { message: 'No such model' },
    ],
    ["AWS's Message", { Message: 'Invalid API Key format' }, { message: 'Invalid API Key format' }],
  ])('%s → its words, place and wait (FE9)', (_what, body, expected) => {
    expect(errorOfBody(JSON.stringify(body))).toMatchObject(expected);
  });

  it.each([
    ['Please retry in 58.934310785s.', 58_935],
    ['Please try again in 1m30.5s. Visit us', 90_500],
    ['try again in 6m0s', 300_000],
    ['Retry after 20 seconds', 20_000],
    ['Please try again in 850ms', 850],
    ['Please wait 2 minutes before trying again', 120_000],
    ['You have exhausted your capacity on this model. Your quota will reset after 14s.', 14_000],
    ['Try again later.', null],
    ['The retry limit is 5 requests', null],
  ])('%s → %s ms (FE9)', (text, ms) => expect(waitInWords(text)).toBe(ms));

  it.each<[string, object, number | undefined]>([
    ['RetryInfo of a day', { details: [{ retryDelay: '86400s' }] }, 300_000],
    ['retry_after of a day', { retry_after: 86_400 }, 300_000],
    ['retry_after_seconds of a day, within metadata', { metadata: { retry_after_seconds: 86_400 } }, 300_000],
    ['RetryInfo of a moment', { details: [{ retryDelay: '0.25s' }] }, 250],
    ['RetryInfo of nothing', { details: [{ retryDelay: '0s' }] }, undefined],
    ['a number that is none', { details: [{ retryDelay: '1.2.3s' }] }, undefined],
  ])('%s → a wait of at most five minutes, as of headers (FE9)', (_what, more, waitMs) => {
    const error = { message: 'Slow down.', code: 429, ...more };
    expect(errorOfBody(JSON.stringify({ error }))?.wait_ms).toBe(waitMs);
  });

  it.each([
    ['milliseconds', (at: number) => String(at)],
    ['seconds', (at: number) => Math.ceil(at / 1_000)],
  ])('the moment of a reset in %s, in metadata.headers → the wait until then (FE9)', (_unit, tell) => {
    const headers = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': tell(Date.now() + 60_000) };
    const error = { message: 'Rate limit exceeded: free-models-per-min.', code: 429, metadata: { headers } };
    const waitMs = errorOfBody(JSON.stringify({ error }))?.wait_ms ?? 0;
    expect(waitMs).toBeGreaterThan(30_000);
    expect(waitMs).toBeLessThan(62_000);
  });

  const THROTTLING = words.THROTTLED.met.map(([, , said]) => said);
  it.each(
    THROTTLING.flatMap(message => [
      [message, { status: 400, error: { message } }],
      [message, [{ error: { message, type: null, param: null, code: null } }]],
    ]),
  )('%s as %j → a rate limit, asked once (FE9)', async (_said, answer) => {
    const { baseUrl, bodies } = await startEventEndpoint(answer as Answer);
    expect((await failureOf(runCall({ baseUrl }))).type).toBe(FAILURE.model.rateLimited);
    expect(bodies).toHaveLength(1);
  });

  it('a wait in the body of a 429 → kept; headers go before it (FE9)', async () => {
    const error = { message: 'Slow down. Please retry in 25s.' };
    const { baseUrl } = await startEventEndpoint({ status: 429, error });
    expect(await failureOf(runCall({ baseUrl }))).toMatchObject({
      type: FAILURE.model.rateLimited,
      nextRetryDelay: 25_000,
    });
  });
});
