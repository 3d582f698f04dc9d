/** Refusals that name a thing by chance, or are no refusals of the request: nothing is given up for good. */
import { describe, expect, it, test } from 'vitest';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import { type Answer, startEventEndpoint } from '../../../support/event-endpoint.js';
import { failureOf, runCall, user } from '../../../support/model-calls.js';
import { CALL, DONE, play, reply, TALK, toolNames, toolSaid } from '../../../support/refused-call.js';

const refused = (message: string, more: object = {}): Answer => ({
  status: 400,
  error: { message, ...more },
});

describe('what a refusal means', () => {
  it.each<[string, number, object, string]>([
    [
      'Bedrock, a rate by the day',
      400,
      { message: 'Too many tokens per day, please wait before trying again.' },
      FAILURE.model.rateLimited,
    ],
    [
      'a proxy, a rate told as 403',
      403,
      { message: 'Rate limit exceeded: 40000 input tokens per minute.' },
      FAILURE.model.rateLimited,
    ],
    [
      'Zhipu, 1302',
      400,
      { message: '您的账户已达到速率限制，请您控制请求频率', code: '1302' },
      FAILURE.model.rateLimited,
    ],
    [
      'Groq, more than a minute may have',
      413,
      {
        message:
          'Request too large on tokens per minute (TPM): Limit 6000, Requested 17496, please reduce it.',
        code: 'rate_limit_exceeded',
      },
      FAILURE.model.contextTooLong,
    ],
    [
      'Anthropic, a limit of money',
      400,
      {
        message:
          'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
      },
      FAILURE.model.forbidden,
    ],
    [
      'OpenAI, its policy',
      400,
      {
        message:
          'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting',
        code: 'invalid_prompt',
      },
      FAILURE.model.contentFilter,
    ],
    [
      'OpenAI, its policy on a subject',
      400,
      {
        message:
          "Invalid prompt: we've limited access to this content for safety reasons. This type of information may be used to benefit or to harm people.",
        code: 'invalid_prompt',
      },
      FAILURE.model.contentFilter,
    ],
    [
      'Groq, JSON that the model wrote wrongly',
      400,
      {
        message:
          "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
        code: 'json_validate_failed',
      },
      FAILURE.model.badResponse,
    ],
    [
      'Groq, a call that the model wrote wrongly',
      400,
      {
        message:
          'tool call validation failed: parameters for tool read did not match schema: errors: [`/path`: expected string, but got null]',
        code: 'tool_use_failed',
      },
      FAILURE.model.badResponse,
    ],
    [
      'DashScope, its filter',
      400,
      { message: 'Input data may contain inappropriate content.', code: 'data_inspection_failed' },
      FAILURE.model.contentFilter,
    ],
    ['DeepSeek, its filter', 400, { message: 'Content Exists Risk' }, FAILURE.model.contentFilter],
    [
      'Zhipu, its filter',
      400,
      {
        message: '系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语',
        code: '1301',
      },
      FAILURE.model.contentFilter,
    ],
    [
      'Groq, a model that is gone',
      400,
      {
        message: 'The model `llama-3.2-90b-preview` has been decommissioned and is no longer supported.',
        code: 'model_decommissioned',
      },
      FAILURE.model.unknownModel,
    ],
    [
      'a router, of a field',
      400,
      { message: 'Error from the model provider: Unknown name "foo": Cannot find field.' },
      FAILURE.model.badRequest,
    ],
  ])('%s (%d) → asked once, and no more is given up (FE7)', async (_what, status, error, type) => {
    const { call, bodies } = await play([{ status, error }]);
    expect((await failureOf(call())).type).toBe(type);
    expect(bodies).toHaveLength(1);
  });

  const LARGE = 'x'.repeat(60_000);
  it.each([
    ["Invalid schema: In context=('properties', 'paths'), array schema missing items."],
    ['Your team has reached its spending limit.'],
  ])('a large request, and %s → not its length (FE7)', async message => {
    const { baseUrl } = await startEventEndpoint({ status: 400, error: { message } });
    const type = (await failureOf(runCall({ baseUrl, messages: [user(LARGE)] }))).type;
    expect(type).not.toBe(FAILURE.model.contextTooLong);
  });
});

describe('what is named by chance', () => {
  const ARGUMENTS =
    "Invalid 'messages[2].tool_calls[0].function.arguments': string too long. Expected a string with maximum length 1048576.";

  test('the arguments of a call → the message is changed, and no tool is taken away (FE6)', async () => {
    const { call, bodies } = await play([refused(ARGUMENTS), DONE]);
    const { lessons } = await call();
    expect(toolNames(bodies[1] ?? {})).toEqual(['read', 'search', 'write']);
    expect(lessons?.map(({ id }) => id)).toEqual([expect.stringMatching(/^message /)]);
  });

  test('the address of a page on reasoning → reasoning stays (FE9)', async () => {
    const message = 'Nonsense. See https://docs.example/guides/reasoning#temperature and /stream_options.';
    const { call, bodies } = await play([refused(message.replace(' and /stream_options', ''))]);
    await failureOf(call());
    expect(bodies).toHaveLength(1);
  });

  test('a string elsewhere → pictures stay (FE5)', async () => {
    const { call, bodies } = await play([refused('messages[2].name must be a string'), DONE]);
    await call();
    expect(JSON.stringify(bodies[1])).toContain('image_url');
  });

  test('the same refusal after a change → what was changed in vain is not remembered (FE6)', async () => {
    const vague = 'The temperature of this room: messages.3 is odd.';
    const { call, bodies } = await play([refused(vague), refused(vague), DONE]);
    const { lessons } = await call();
    expect(bodies).toHaveLength(3);
    expect(lessons?.map(({ id }) => id)).toEqual([expect.stringMatching(/^message /)]);
    await call();
    expect(bodies[3]).toHaveProperty('temperature');
  });

  test('a change that leaves the request as it is → not sent (FE6)', async () => {
    // It begins and ends with the user as it is.
    const { call, bodies } = await play([refused('Bad roles.'), DONE], { messages: [user('Goal.')] });
    await call().catch(() => undefined);
    expect(new Set(bodies.map(body => JSON.stringify(body))).size).toBe(bodies.length);
  });
});

describe('one picture, or pictures at all', () => {
  it.each([
    'Could not process image',
    'You uploaded an unsupported image. Please make sure your image is valid.',
    'Unable to process input image. Please retry or report in https://developers.example/troubleshooting',
    'The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats.',
    "messages.4.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    'Image format image/heic is not supported.',
    'Failed to download image: the address is not allowed.',
  ])('%s → that one alone (FE5)', async message => {
    const { call } = await play([refused(message), DONE]);
    const { lessons } = await call();
    expect(lessons?.map(({ id }) => id)).toEqual([expect.stringMatching(/^picture \w+ 1$/)]);
  });

  it.each([
    'Invalid content type. image_url is only supported by certain models.',
    'This model does not support image inputs',
    'Unsupported content type: image_url',
    'vision is not enabled for this model',
  ])('%s → none, now and later (FE5)', async message => {
    const { call } = await play([refused(message), DONE]);
    const { lessons } = await call();
    expect(lessons?.map(({ id }) => id)).toEqual(['pictures 1']);
  });
});

describe('what holds for one call alone', () => {
  test.each([
    [
      402,
      'This request requires more credits, or fewer max_tokens. You requested up to 900 tokens, but can only afford 400.',
    ],
    [
      413,
      'Request too large on tokens per minute (TPM): Limit 12000, Requested 12100, please reduce your message size.',
    ],
  ])(
    'fewer tokens, for money or a rate (%d) → told, and later calls ask for all (FE9)',
    async (status, message) => {
      const { call, bodies } = await play([{ status, error: { message } }, DONE]);
      const { lessons } = await call();
      expect(lessons).toEqual([
        { id: expect.stringContaining('reply at most'), told: expect.any(String), once: true },
      ]);
      await call();
      expect(bodies[2]).toMatchObject({ max_tokens: 900 });
    },
  );

  test('all pictures, for one of several → told as of this call alone (FE5)', async () => {
    const messages = [
      ...TALK.slice(0, 3),
      reply([{ ...CALL, id: 'call_2' }], 'm5'),
      ...TALK.slice(2, 3).map(each => ({ ...each, id: 'm6' }) as never),
      user('Go on.', 'm7'),
    ];
    const { call } = await play([refused('Could not process image'), DONE], { messages });
    const { lessons } = await call();
    expect(lessons).toEqual([{ id: 'pictures 1', told: expect.any(String), once: true }]);
  });
});

describe('two things at once, and no end', () => {
  test('two options in one refusal → both go, and both are remembered in the end (FE9)', async () => {
    const both = refused('Unsupported parameters: temperature, top_p.');
    const { call, bodies } = await play([both, both, DONE, both, DONE], { head: { topP: 0.5 } });
    await call();
    expect(bodies[2]).not.toHaveProperty('temperature');
    expect(bodies[2]).not.toHaveProperty('top_p');
    await call();
    await call();
    expect(bodies).toHaveLength(6);
    expect(bodies[5]).not.toHaveProperty('temperature');
  });

  test('a tool and a message, one after the other → both changed in one call (FE6)', async () => {
    const messages = [user('Goal.'), reply([CALL]), toolSaid('Odd.'), user('Go on.', 'm4')];
    const answers = [
      refused("Invalid schema for function 'read'."),
      refused('Invalid value at messages[3]'),
      DONE,
    ];
    const { call, bodies } = await play(answers, { messages });
    const { lessons } = await call();
    expect(bodies).toHaveLength(3);
    expect(lessons?.map(({ id }) => id.split(' ')[0])).toEqual(['tool', 'message']);
  });

  test('six things → five are changed, and the failure has the words of the sixth (FE6)', async () => {
    const things = ['stream_options', 'temperature', 'top_p', "tool 'search'", "tool 'write'", "tool 'read'"];
    const answers = things.map(thing => refused(`Not supported here: ${thing}.`));
    const { call, bodies } = await play(answers, { head: { topP: 0.5 } });
    expect((await failureOf(call())).message).toContain("Not supported here: tool 'read'");
    expect(bodies).toHaveLength(6);
  });
});

test.each([
  [
    'OpenAI',
    'max_tokens is too large: 900. This model supports at most 500 completion tokens, whereas you provided 900.',
    500,
  ],
  [
    'Anthropic behind a router',
    'max_tokens: 900 > 500, which is the maximum allowed number of output tokens for claude-x',
    500,
  ],
  ['DeepSeek', 'Invalid max_tokens value, the valid range of max_tokens is [1, 500]', 500],
  [
    'Groq',
    '`max_tokens` must be less than or equal to `500`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    500,
  ],
  ['DashScope', '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 500]', 500],
])('more tokens than %s gives: %s → as many as it gives, once (FE9)', async (_who, message, most) => {
  const { call, bodies } = await play([refused(message, { param: 'max_tokens' }), DONE]);
  await call();
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toMatchObject({ max_tokens: most });
});
