/** Requests that an endpoint refuses, and what is sent then: over HTTP, in the words of endpoints. */
import { describe, expect, it } from 'vitest';
import { createProvider } from '../../../../src/models/protocols.js';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import { type Answer, startEventEndpoint } from '../../../support/event-endpoint.js';
import { failureOf, user } from '../../../support/model-calls.js';
import { CALL, DONE, play, reply, TALK, TOOLS, toolNames, toolSaid } from '../../../support/refused-call.js';

/** The second body, as text, after the first was refused so. */
async function afterRefusal(
  message: string,
  { status = 400, ...more }: { status?: number; param?: string } = {},
) {
  const { call, bodies } = await play([{ status, error: { message, ...more } }, DONE]);
  const { lessons = [] } = await call();
  expect(bodies).toHaveLength(2);
  return { first: bodies[0] ?? {}, second: bodies[1] ?? {}, lessons };
}

describe('what a refusal names is changed, in the same try', () => {
  it.each([
    ["Invalid schema for function 'read': In context=('properties', 'path'), schema must have a type.", {}],
    [
      'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
      {},
    ],
    [
      `Invalid JSON payload received. Unknown name "format" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`,
      {},
    ],
    ['[{"loc":["body","tools",0,"function","parameters"],"msg":"Input should be valid"}]', {}],
    ['Bad tool definition', { param: 'tools[0].function.parameters' }],
    ['body -> tools -> 0 -> function: invalid', {}],
    ['Tool read has an unsupported parameter type', {}],
  ])('a tool (%s) → its schema is simpler, and the run is told (FE3)', async (message, more) => {
    const { second, lessons } = await afterRefusal(message, more);
    expect(toolNames(second)).toEqual(['read', 'search', 'write']);
    expect(JSON.stringify(second.tools)).not.toContain('format');
    expect(lessons).toEqual([
      { id: 'tool read 1', told: expect.stringContaining('the schema of the tool read') },
    ]);
  });

  it('a tool, again and again → it is left out, and later calls begin without it (FE3)', async () => {
    const refusal = { status: 400, error: { message: "Invalid schema for function 'read': no." } };
    const { call, bodies } = await play([refusal, refusal, DONE]);
    const { lessons } = await call();
    expect(bodies.map(toolNames)).toEqual([
      ['read', 'search', 'write'],
      ['read', 'search', 'write'],
      ['search', 'write'],
    ]);
    expect(lessons?.map(({ id }) => id)).toEqual(['tool read 2']);
    await call();
    expect(toolNames(bodies[3] ?? {})).toEqual(['search', 'write']);
  });

  it.each(['The JSON schema is not valid.', 'Failed to initialize samplers: failed to parse grammar'])(
    'a schema, without saying whose (%s) → all are simpler; then tools are text (FE3)',
    async message => {
      const refusal = { status: 400, error: { message } };
      const { call, bodies } = await play([refusal, refusal, DONE]);
      const { lessons } = await call();
      expect(JSON.stringify(bodies[1]?.tools)).not.toContain('format');
      expect(bodies[2]).not.toHaveProperty('tools');
      expect(lessons?.map(({ id }) => id)).toEqual(['tools in text 1']);
    },
  );

  it.each([
    [
      "Invalid 'tools': array too long. Expected an array with maximum length 2, but got an array with length 3 instead.",
      2,
    ],
    ['Too many tools: at most 1 tools may be given.', 1],
    [
      'The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations: [FIELD_INVALID] At most 2 function declarations can be specified.',
      2,
    ],
  ])('too many tools (%s) → %d, those that were called first (FE3)', async (message, most) => {
    const { second, lessons } = await afterRefusal(message);
    expect(toolNames(second)).toEqual(['read', 'search'].slice(0, most));
    expect(lessons[0]?.told).toContain(`it is offered ${most}`);
  });

  it.each([
    ['messages[4]: unknown variant `image_url`, expected `text` at line 1 column 690848', 'pictures 1'],
    ['image input is not supported - hint: you may need to provide the mmproj', 'pictures 1'],
    ['No endpoints found that support image input', 'pictures 1'],
    ['messages[4].content: Input should be a valid string', 'pictures 1'],
    [
      'json: cannot unmarshal array into Go struct field Message.messages.content of type string',
      'pictures 1',
    ],
    [
      'messages.4.content.1.image_url: At least one of the image dimensions exceed max allowed size: 8000 pixels',
      'picture ',
    ],
    ['You uploaded an unsupported image. Please make sure your image is valid.', 'picture'],
    ['Could not process image', 'picture'],
  ])('a picture (%s) → a note in its place (FE5)', async (message, id) => {
    const status = message.startsWith('No end') ? 404 : message.startsWith('image input') ? 500 : 400;
    const { first, second, lessons } = await afterRefusal(message, { status });
    expect(JSON.stringify(first)).toContain('image_url');
    expect(JSON.stringify(second)).not.toContain('image_url');
    expect(JSON.stringify(second)).toContain('The picture that stood here');
    if (message.startsWith('json:'))
      for (const { content } of second.messages as { content: unknown }[])
        expect(Array.isArray(content)).toBe(false);
    expect(lessons[0]?.id).toContain(id);
  });

  it.each<[string, object, string]>([
    [
      "Unsupported value: 'temperature' does not support 0.2 with this model.",
      { param: 'temperature' },
      'temperature',
    ],
    ['Model grok-4 does not support parameter reasoningEffort.', {}, 'reasoning_effort'],
    ['"gemma3" does not support thinking', {}, 'reasoning_effort'],
    ['Unrecognized request argument supplied: stream_options', {}, 'stream_options'],
    [
      '[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]',
      {},
      'stream_options',
    ],
  ])('an option (%s) → it goes, and all else stays (FE9)', async (message, more, option) => {
    const { call, bodies } = await play([
      { status: 400, error: { message, ...more } },
      { status: 400, error: { message, ...more } },
      DONE,
    ]);
    const { lessons } = await call().catch(() => ({ lessons: undefined }));
    const last = bodies.at(-1) ?? {};
    expect(last).not.toHaveProperty(option, bodies[0]?.[option]);
    expect(last).toHaveProperty('tools');
    if (lessons) expect(lessons[0]?.id).toContain(`option ${option}`);
  });

  it('an option whose next best is what was sent → the one after it, without a request in between (FE6)', async () => {
    const refusal = { status: 400, error: { message: '"gemma3" does not support thinking' } };
    const { call, bodies } = await play([refusal, DONE]);
    await call();
    expect(bodies.map(body => body.reasoning_effort)).toEqual(['low', undefined]);
  });

  // github.com/BerriAI/litellm/pull/34569: refused also where no effort was asked for; only `none` is taken.
  it.each(['low', null] as const)(
    'tools beside reasoning (%s; GPT-5.6) → no reasoning beside tools, also in later calls (FE6)',
    async reasoning => {
      const message =
        "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
      const refusal = { status: 400, error: { message, param: 'reasoning_effort' } };
      const { call, bodies } = await play([refusal, DONE], { head: { reasoning } });
      const { lessons } = await call();
      await call();
      expect(bodies.map(body => body.reasoning_effort)).toEqual([reasoning ?? undefined, 'none', 'none']);
      for (const body of bodies) expect(toolNames(body)).toHaveLength(3);
      expect(lessons?.[0]?.told).toContain('/v1/responses');
    },
  );

  it.each([
    [
      400,
      'The maximum tokens you requested exceeds the model limit of 500. Try again with a maximum tokens value that is lower than 500.',
      500,
    ],
    [
      402,
      'This request requires more credits, or fewer max_tokens. You requested up to 900 tokens, but can only afford 400. To increase, visit the settings',
      400,
    ],
    [
      413,
      'Request too large for model `x` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 12100, please reduce your message size and try again.',
      512,
    ],
    [400, 'Please lower max_tokens.', 450],
  ])(
    'tokens of the reply (%d, %s) → %d are asked for, and all else stays (FE9)',
    async (status, message, most) => {
      const { first, second, lessons } = await afterRefusal(message, { status });
      expect(second).toEqual({ ...first, max_tokens: most });
      expect(lessons.map(({ id }) => id)).toEqual([`reply at most ${most} 1`]);
    },
  );

  const VLLM =
    "This model's maximum context length is 8192 tokens. However, you requested 18207 tokens (1823 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.";
  const TGI =
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 1823 `inputs` tokens and 16384 `max_new_tokens`';
  it.each<[string, Answer]>([
    ['vLLM', { status: 400, error: { message: VLLM } }],
    ['vLLM, in the stream', [{ error: { message: VLLM, type: 'BadRequestError', code: 400 } }]],
    ['TGI', { status: 422, error: { message: TGI, type: 'validation' } }],
    ['TGI, in the stream', [{ error: TGI, error_type: 'validation' }]],
    [
      'OpenRouter',
      {
        status: 400,
        error: {
          message:
            "This endpoint's maximum context length is 8192 tokens. However, you requested about 18207 tokens (1723 of text input, 100 of tool input, 16384 in the output). Please reduce the length of either one.",
        },
      },
    ],
    [
      'OpenAI',
      {
        status: 400,
        error: {
          message:
            "This model's maximum context length is 8192 tokens, however you requested 18207 tokens (1823 in your prompt; 16384 for the completion). Please reduce your prompt; or completion length.",
        },
      },
    ],
  ])(
    'a reply that does not fit beside the conversation (%s) → what is left, once (FE9)',
    async (_who, answer) => {
      const { call, bodies } = await play([answer, DONE], { head: { maxOutputTokens: 16_384 } });
      const { lessons } = await call();
      expect(bodies).toEqual([bodies[0], { ...bodies[0], max_tokens: 6_144 }]);
      expect(lessons?.map(({ id }) => id)).toEqual(['reply at most 6144 1']);
      await call();
      expect(bodies[2]).toMatchObject({ max_tokens: 16_384 });
    },
  );

  it.each([
    [
      402,
      'This request requires more credits, or fewer max_tokens: you can only afford 12.',
      FAILURE.model.forbidden,
    ],
    [
      413,
      'Request too large on tokens per minute (TPM): Limit 6000, Requested 17496.',
      FAILURE.model.contextTooLong,
    ],
  ])('no reply is short enough (%d, %s) → it fails at once (FE9)', async (status, message, type) => {
    const { call, bodies } = await play([{ status, error: { message } }]);
    expect((await failureOf(call())).type).toBe(type);
    expect(bodies).toHaveLength(1);
  });

  it.each([
    "Invalid value for 'content': expected a string, got null.",
    '[{"type":"string_type","loc":["body","messages",2,"content"],"msg":"Input should be a valid string","input":null}]',
  ])('no content beside calls (%s) → an empty text, then a blank (FE9)', async message => {
    const messages = [user('Goal.'), reply([CALL]), toolSaid('Seen.')];
    const refusal = { status: 400, error: { message } };
    const { call, bodies } = await play(
      [refusal, { status: 400, error: { message: 'messages.2: content must not be empty' } }, DONE],
      { messages },
    );
    await call();
    const contents = bodies.map(body => (body.messages as { content: unknown }[])[2]?.content);
    expect(contents).toEqual([null, '', ' ']);
  });

  it.each([
    'messages.3.content: Input is not allowed here',
    'Invalid value at messages[3]',
    'body -> messages -> 3: value is not valid',
    'The message at index 3 could not be read',
  ])('a message (%s) → as plain text, then as a note (FE6)', async words => {
    const refusal = { status: 400, error: { message: words } };
    // What is plain text already is a note at once.
    const messages = [user('Goal.'), reply([CALL]), toolSaid('Se\u0007en.'), user('Go on.', 'm4')];
    const { call, bodies } = await play([refusal, refusal, DONE], { messages });
    const { lessons } = await call();
    const contents = bodies.map(
      ({ messages }) => (messages as { content: string; tool_call_id?: string }[])[3],
    );
    expect(contents[1]).toMatchObject({ content: expect.stringContaining('Se en.') });
    expect(contents[2]).toMatchObject({
      tool_call_id: 'call_1',
      content: expect.stringContaining('left out'),
    });
    expect(lessons?.[0]?.id).toMatch(/^message \w+ 2$/);
    await call();
    expect(bodies[3]).toMatchObject({ messages: { 3: contents[2] } });
  });

  it.each([
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  ])('the order (%s) → calls and results in words (FE6)', async message => {
    const { second } = await afterRefusal(message);
    const messages = second.messages as { role: string; content: unknown }[];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(JSON.stringify(messages)).toContain('You called read with');
    expect(second).toHaveProperty('tools');
  });

  it('no stream (OpenAI, of organizations that are not verified) → the reply comes whole (FE9)', async () => {
    const { second } = await afterRefusal('Your organization must be verified to stream this model.', {});
    expect(second).toMatchObject({ stream: false });
    expect(second).not.toHaveProperty('stream_options');
  });

  it('replies and messages without text → are not sent (FE6)', async () => {
    const messages = [
      user('Goal.'),
      reply([{ type: 'text', text: ' ' }]),
      user('', 'm3'),
      user('Go on.', 'm4'),
    ];
    const { call, bodies } = await play([DONE], { messages });
    await call();
    expect(bodies[0]?.messages).toMatchObject([
      { content: 'You are a test.' },
      { content: 'Goal.' },
      { content: 'Go on.' },
    ]);
  });

  it('half a surrogate → whole on the wire (FE4)', async () => {
    const { call, bodies } = await play([DONE], { messages: [user('A \ud83d half.')] });
    await call();
    expect(JSON.stringify(bodies[0])).toContain('A \ufffd half.');
  });
});

describe('bounds of what is learnt', () => {
  it('a refusal that goes on → each change once, and its own words are the failure (FE6)', async () => {
    const { call, bodies } = await play([{ status: 400, error: { message: "The tool 'read' is bad." } }]);
    expect((await failureOf(call())).message).toContain("The tool 'read' is bad");
    expect(bodies).toHaveLength(3);
    await failureOf(call());
    expect(toolNames(bodies[3] ?? {})).toContain('read');
  });

  it('one thing after the other → five at most (FE6)', async () => {
    const refusals = [
      'stream_options',
      'temperature',
      'reasoning_effort',
      "tool 'read'",
      "tool 'search'",
      "tool 'write'",
    ].map(thing => ({
      status: 400,
      error: { message: `Not supported: ${thing}` },
    }));
    const { call, bodies } = await play([...refusals, DONE]);
    await failureOf(call());
    expect(bodies).toHaveLength(6);
  });

  it('what the run knows → is changed at once, on any worker (FE6)', async () => {
    const { call, bodies } = await play([DONE], {});
    const endpoint = await startEventEndpoint(DONE);
    const provider = createProvider({ name: 'openai', baseUrl: endpoint.baseUrl });
    const deltas = provider.stream(
      {
        ...{
          prefix: 'own',
          system: '',
          tools: TOOLS,
          output: 'text',
          dialect: 'component',
          toolChoice: 'auto',
          toolSyntax: null,
        },
        ...{ temperature: 0.2, topP: null, reasoning: null, stop: [], maxOutputTokens: null, cacheKey: null },
        model: 'gpt-5-mini',
        messages: TALK,
        lessons: ['option temperature 1', 'tool read 2'],
      },
      new AbortController().signal,
    );
    const types: string[] = [];
    for await (const { type } of deltas) types.push(type);
    expect(types).not.toContain('lesson');
    expect(endpoint.bodies[0]).not.toHaveProperty('temperature');
    expect(toolNames(endpoint.bodies[0] ?? {})).toEqual(['search', 'write']);
    await call();
    expect(bodies[0]).toHaveProperty('temperature');
  });

  it('a refusal that comes as the first event of a stream → learnt too (FE9)', async () => {
    const error = {
      code: 400,
      message: 'Provider returned error',
      metadata: { raw: '{"error":{"message":"No.","param":"temperature"}}' },
    };
    const { call, bodies } = await play([[{ error }], DONE]);
    await call();
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).not.toHaveProperty('temperature');
  });
});
