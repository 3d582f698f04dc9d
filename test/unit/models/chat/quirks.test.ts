import { describe, expect, it } from 'vitest';
import { toolResult } from '../../../../src/conversation/tool-result.js';
import { CHAT_OPTIONS } from '../../../../src/models/chat/quirks.js';
import type { ModelRequest } from '../../../../src/models/provider/provider.js';
import { Lessons } from '../../../../src/models/refusals/lessons.js';
import type { ModelRequestHead } from '../../../../src/rules/prompts/model-request.js';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import type { AssistantMessage, Message } from '../../../../src/run/messages/message.js';
import { startEventEndpoint } from '../../../support/event-endpoint.js';
import { failureOf, MODEL, runCall, tool, user } from '../../../support/model-calls.js';

const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const DONE = [chunk({ content: 'ok' }), chunk({}, 'stop')];

const CALL = { type: 'tool_use', id: 'call_abc-1', name: 'read', input: { path: 'a' } } as const;

function reply(content: AssistantMessage['content'], model = MODEL): AssistantMessage {
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0, costUsd: 0 };
  const base = { id: 'm2', at: 1, kind: 'assistant', role: 'executor', action: 'calling_tool' } as const;
  return { ...base, stopReason: 'tool_use', usage, model, content };
}

const RESULT: Message = { id: 'm3', at: 1, kind: 'tool_result', content: [toolResult(CALL, 'executed')] };

/** A reply of `MODEL` with a call, whose reasoning came in this field. */
function thoughtIn(field: string): AssistantMessage {
  return reply([{ type: 'reasoning', text: 'Hm.', data: { model: MODEL, value: { field } } }, CALL]);
}

const CONVERSATION: Message[] = [
  user('Goal.'),
  user('Instruction.'),
  reply([{ type: 'reasoning', text: 'Hm.' }, CALL]),
  RESULT,
  user('Stop.'),
];

/** The messages of the second request, after the first was refused with these words. */
async function afterRefusal(message: string, status = 400): Promise<Record<string, unknown>[]> {
  const endpoint = await startEventEndpoint({ status, error: { message } }, DONE);
  await runCall({ baseUrl: endpoint.baseUrl, messages: CONVERSATION });
  expect(endpoint.bodies).toHaveLength(2);
  return endpoint.bodies[1]?.messages as Record<string, unknown>[];
}

const rolesOf = (messages: readonly Record<string, unknown>[]) => messages.map(message => message.role);

describe('conversations that an endpoint refuses → the same try with one that it takes', () => {
  it('the user after tools (Mistral) → a reply in between', async () => {
    const messages = await afterRefusal("Unexpected role 'user' after role 'tool'");
    expect(rolesOf(messages)).toEqual(['system', 'user', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('ids of tool calls (Mistral) → of nine characters, the same for call and result', async () => {
    const words = 'Tool call id was call_abc-1 but must be a-z, A-Z, 0-9, with a length of 9.';
    const [, , , called, result] = await afterRefusal(words);
    expect(result?.tool_call_id).toMatch(/^[a-z0-9]{9}$/);
    expect(called?.tool_calls).toMatchObject([{ id: result?.tool_call_id }]);
  });

  it('roles do not alternate, as a template of a local server says, with 500 → one message of the user', async () => {
    const words =
      'After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.';
    const messages = await afterRefusal(words, 500);
    expect(rolesOf(messages)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(messages[1]?.content).toBe('Goal.\n\nInstruction.');
  });

  it('no system prompt → it begins the first message of the user', async () => {
    const messages = await afterRefusal('System role not supported');
    expect(rolesOf(messages)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(messages[0]?.content).toBe('You are a test.\n\nGoal.\n\nInstruction.');
  });

  it.each([
    ['DeepSeek', 'The `reasoning_content` in the thinking mode must be passed back to the API.'],
    ['DeepSeek', 'Missing `reasoning_content` field in the assistant message at message index 3.'],
    [
      'Kimi',
      'thinking is enabled but reasoning_content is missing in assistant tool call message at index 3',
    ],
  ])('reasoning must come back (%s: %s) → it does, of replies with tool calls', async (_who, words) => {
    expect((await afterRefusal(words))[3]).toMatchObject({ reasoning_content: 'Hm.' });
  });

  // github.com/MoonshotAI/kimi-cli/issues/2141: DeepSeek V4 wants it with each reply since tools were offered.
  it('reasoning must come back, and a reply has no calls (DeepSeek V4) → with every reply (FE6)', async () => {
    const message = 'The `reasoning_content` in the thinking mode must be passed back to the API.';
    const endpoint = await startEventEndpoint({ status: 400, error: { message } }, DONE);
    const answer = reply([
      { type: 'reasoning', text: 'It is a.' },
      { type: 'text', text: 'A.' },
    ]);
    const messages = [user('Goal.'), reply([CALL]), RESULT, answer, user('And b?')];
    await runCall({ baseUrl: endpoint.baseUrl, messages });
    expect(endpoint.bodies[1]?.messages).toMatchObject({
      2: { reasoning_content: ' ' },
      4: { content: 'A.', reasoning_content: 'It is a.' },
    });
  });

  // github.com/ggml-org/llama.cpp/issues/17040
  it('text and reasoning beside a call, as a template of gpt-oss says, with 500 → without reasoning (FE6)', async () => {
    const message =
      'Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or the other, but not both. at row 290, column 178';
    const endpoint = await startEventEndpoint({ status: 500, error: { message } }, DONE);
    const { content } = thoughtIn('reasoning_content');
    const messages = [user('Goal.'), reply([...content, { type: 'text', text: 'I read.' }]), RESULT];
    await runCall({ baseUrl: endpoint.baseUrl, messages });
    expect(endpoint.bodies[1]?.messages).toMatchObject({ 2: { content: 'I read.' } });
    expect(JSON.stringify(endpoint.bodies[1])).not.toContain('Hm.');
  });

  it('reasoning must come back, and there is none (Kimi) → a blank, for an empty text counts as none (FE9)', async () => {
    const message =
      'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2';
    const endpoint = await startEventEndpoint({ status: 400, error: { message } }, DONE);
    const messages = [user('Goal.'), reply([CALL]), RESULT];
    await runCall({ baseUrl: endpoint.baseUrl, messages });
    expect(endpoint.bodies[1]?.messages).toMatchObject({ 2: { reasoning_content: ' ' } });
  });

  it.each([
    "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'FIELD' is unsupported)]",
    "messages.1.assistant.FIELD: property 'messages.1.assistant.FIELD' is unsupported",
    'Invalid JSON payload received. Unknown name "FIELD" at \'messages[1]\': Cannot find field.',
    '[{"type":"extra_forbidden","loc":["body","messages",3,"assistant","FIELD"],"msg":"Extra inputs are not permitted"}]',
  ])('reasoning is not taken back: %s → the conversation without it', async words => {
    for (const field of ['reasoning_content', 'reasoning']) {
      const error = { message: words.replaceAll('FIELD', field) };
      const endpoint = await startEventEndpoint({ status: 400, error }, DONE);
      const messages = [user('Goal.'), thoughtIn(field), RESULT];
      await runCall({ baseUrl: endpoint.baseUrl, messages });
      const [first, second] = endpoint.bodies.map(body => JSON.stringify(body.messages));
      expect(first).toContain('Hm.');
      expect(second).not.toContain('Hm.');
      expect(second).toContain('call_abc-1');
    }
  });

  it('signature of a call that another model made (Gemini) → the one that says so', async () => {
    const words = 'Function call is missing a thought_signature in functionCall parts.';
    expect(JSON.stringify((await afterRefusal(words))[3])).toContain('skip_thought_signature_validator');
  });

  // github.com/OpenRouterTeam/ai-sdk-provider/issues/273, github.com/RooCodeInc/Roo-Code/pull/10640: a signature is
  // refused where another of Google's endpoints answers than the one that gave it.
  it.each([
    'Corrupted thought signature.',
    'Unable to submit request because Thought signature is not valid.',
  ])(
    'signature of its own that it does not take (Gemini: %s) → the one that says so, in this call (FE6)',
    async message => {
      const signed = { google: { thought_signature: 'c2ln' } };
      const reasoning_details = [{ type: 'reasoning.encrypted', id: 'call_abc-1', data: 'c2ln', index: 0 }];
      const answer = reply([
        { type: 'reasoning', text: '', data: { model: MODEL, value: { reasoning_details } } },
        { ...CALL, data: { model: MODEL, value: { extra_content: signed } } },
        { ...CALL, id: 'call_2', data: { model: MODEL, value: { extra_content: signed } } },
      ]);
      const endpoint = await startEventEndpoint({ status: 400, error: { message } }, DONE);
      const messages = [user('Goal.'), answer, RESULT];
      const { lessons } = await runCall({ baseUrl: endpoint.baseUrl, messages });
      const [first, second] = endpoint.bodies.map(({ messages }) => JSON.stringify(messages));
      expect(first?.match(/c2ln/g)).toHaveLength(3);
      expect(second).not.toContain('c2ln');
      expect(second?.match(/skip_thought_signature_validator/g)).toHaveLength(1);
      expect(lessons).toHaveLength(1);
    },
  );

  it('a call that the model wrote wrongly is refused as if we had (Groq) → tried again', async () => {
    const error = { message: 'Failed to call a function.', code: 'tool_use_failed' };
    const endpoint = await startEventEndpoint({ status: 400, error });
    const failure = await failureOf(runCall({ baseUrl: endpoint.baseUrl }));
    expect(failure).toMatchObject({ type: FAILURE.model.badResponse, nonRetryable: false });
  });

  it('any other 400 that names messages → no second request', async () => {
    const error = { message: 'Please reduce the length of the messages.', param: 'messages' };
    const endpoint = await startEventEndpoint({ status: 400, error });
    await expect(runCall({ baseUrl: endpoint.baseUrl })).rejects.toThrow();
    expect(endpoint.bodies).toHaveLength(1);
  });

  it('the change does not help → the refusal is the failure, and the conversation was never left out', async () => {
    const error = { message: "Unexpected role 'user' after role 'tool'" };
    const endpoint = await startEventEndpoint({ status: 400, error });
    await expect(runCall({ baseUrl: endpoint.baseUrl, messages: CONVERSATION })).rejects.toThrow();
    // Its own change, then the general one: calls and results in words.
    expect(endpoint.bodies).toHaveLength(3);
    for (const body of endpoint.bodies) expect(body).toHaveProperty('messages');
  });
});

describe('hosts that are known get it at once', () => {
  const wire = [
    { role: 'user', content: 'Goal.' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'call_abc-1', type: 'function' }] },
    { role: 'tool', tool_call_id: 'call_abc-1', content: 'x' },
    { role: 'user', content: 'Stop.' },
  ];
  const head: Partial<ModelRequestHead> = { system: '' };
  const request = {
    ...head,
    model: 'gpt-5-mini',
    messages: CONVERSATION.slice(1),
    cacheKey: null,
  } as ModelRequest;
  const bodyAt = (host: string, endpoint = 'openai') =>
    new Lessons(CHAT_OPTIONS, { endpoint, host }).call(request, () => ({
      messages: wire,
      response_format: { type: 'json_schema' },
    })).body;

  it.each([
    ['api.deepseek.com', '{"type":"json_object"}', 'reasoning_content'],
    ['api.moonshot.ai', '"json_schema"', 'reasoning_content'],
    ['api.mistral.ai', '"json_schema"', 'Understood.'],
    ['generativelanguage.googleapis.com', '"json_schema"', 'thought_signature'],
  ])('%s', (host, format, inMessages) => {
    expect(JSON.stringify(bodyAt(host).response_format)).toContain(format);
    expect(JSON.stringify(bodyAt(host).messages)).toContain(inMessages);
  });

  it('reasoning of a model of the same name at another endpoint → not that of this one', () => {
    const host = 'api.deepseek.com';
    expect(JSON.stringify(bodyAt(host).messages)).toContain('Hm.');
    expect(JSON.stringify(bodyAt(host, 'deepseek').messages)).not.toContain('Hm.');
  });

  it('any other → as it is', () => {
    for (const host of ['localhost', 'mistral.ai.example', 'notdeepseek.com'])
      expect(bodyAt(host).messages).toEqual(wire);
  });
});

describe('what an endpoint wants back beside a reply', () => {
  it('signature on a tool call (Gemini), also in a part of its own → kept, and sent to the same model', async () => {
    const extra_content = { google: { thought_signature: 'c2ln' } };
    const endpoint = await startEventEndpoint([
      chunk({ tool_calls: [{ id: 't1', function: { name: 'read', arguments: '{}' } }] }),
      chunk({ tool_calls: [{ extra_content }] }),
      chunk({}, 'stop'),
    ]);
    const { content, stopReason } = await runCall({
      baseUrl: endpoint.baseUrl,
      head: { tools: [tool('read')] },
    });
    expect(stopReason).toBe('tool_use');
    expect(content).toMatchObject([{ id: 't1', data: { model: MODEL, value: { extra_content } } }]);
    expect(JSON.stringify(await sentBack(content))).toContain('c2ln');
    expect(JSON.stringify(await sentBack(content, 'openai/other'))).not.toContain('c2ln');
  });

  it('details of reasoning (OpenRouter) in fragments → whole blocks, sent to the same model', async () => {
    const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
    const endpoint = await startEventEndpoint([
      chunk({ reasoning: 'Let', reasoning_details: [{ ...detail, text: 'Let' }] }),
      chunk({ reasoning: ' me.', reasoning_details: [{ ...detail, text: ' me.', signature: null }] }),
      chunk({ content: 'Yes.', reasoning_details: [{ ...detail, signature: 'c2ln' }] }),
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 1 }] }),
      chunk({}, 'stop'),
    ]);
    const { content } = await runCall({ baseUrl: endpoint.baseUrl });
    const reasoning_details = [
      { ...detail, text: 'Let me.', signature: 'c2ln' },
      { type: 'reasoning.encrypted', data: 'x', index: 1 },
    ];
    expect(content).toEqual(
      expect.arrayContaining([
        { type: 'reasoning', text: 'Let me.', data: { model: MODEL, value: { reasoning_details } } },
        { type: 'text', text: 'Yes.' },
      ]),
    );
    expect((await sentBack(content))[2]).toMatchObject({ reasoning_details });
    expect((await sentBack(content, 'openai/other'))[2]).not.toHaveProperty('reasoning_details');
  });

  it('details of reasoning (OpenRouter) with one number and two ids → two blocks, none of them changed', async () => {
    const sealed = ['a', 'b'].map(id => ({
      type: 'reasoning.encrypted',
      id,
      index: 0,
      data: `sealed ${id}`,
    }));
    const endpoint = await startEventEndpoint([
      ...sealed.map(detail => chunk({ reasoning_details: [detail] })),
      ...DONE,
    ]);
    const { content } = await runCall({ baseUrl: endpoint.baseUrl });
    expect((await sentBack(content))[2]).toMatchObject({ reasoning_details: sealed });
  });

  const CALLED = chunk({ tool_calls: [{ id: 't1', function: { name: 'read', arguments: '{}' } }] });
  it.each([
    ['reasoning_content', [chunk({ reasoning_content: 'H' }), chunk({ reasoning_content: 'm.' })], 'Hm.'],
    ['reasoning', [chunk({ reasoning: 'Hm.' })], 'Hm.'],
    ['content', [chunk({ content: '<think>Hm.</think>Go.' })], '<think>\nHm.\n</think>\n\nGo.'],
  ])(
    'reasoning in the field %s → back in it before the next call, to the same model (M11)',
    async (field, said, back) => {
      const endpoint = await startEventEndpoint([...said, CALLED, chunk({}, 'tool_calls')]);
      const { content } = await runCall({ baseUrl: endpoint.baseUrl, head: { tools: [tool('read')] } });
      expect((await sentBack(content))[2]).toHaveProperty(field, back);
      expect(JSON.stringify(await sentBack(content, 'openai/other'))).not.toContain('Hm.');
    },
  );

  it('reasoning in tags of another model than MiniMax → not sent back in tags that it does not write', async () => {
    const said = [chunk({ content: '[THINK]Hm.[/THINK]Go.' }), CALLED, chunk({}, 'tool_calls')];
    const endpoint = await startEventEndpoint(said);
    const { content } = await runCall({ baseUrl: endpoint.baseUrl, head: { tools: [tool('read')] } });
    expect((await sentBack(content))[2]).toHaveProperty('content', 'Go.');
  });

  it('reasoning of a reply without calls → stays here: nothing goes on from it', async () => {
    const endpoint = await startEventEndpoint([chunk({ reasoning_content: 'Hm.' }), ...DONE]);
    const { content } = await runCall({ baseUrl: endpoint.baseUrl });
    expect(content[0]).toEqual({ type: 'reasoning', text: 'Hm.' });
  });

  it('signed thinking (LiteLLM) in fragments → whole blocks, sent to the same model (M11)', async () => {
    const endpoint = await startEventEndpoint([
      chunk({
        reasoning_content: 'Let',
        thinking_blocks: [{ type: 'thinking', thinking: 'Let', signature: null }],
      }),
      chunk({ reasoning_content: ' me.', thinking_blocks: [{ type: 'thinking', thinking: ' me.' }] }),
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'c2ln' }] }),
      chunk({ thinking_blocks: [{ type: 'redacted_thinking', data: 'x' }] }),
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'More.', signature: 'bW9y' }] }),
      CALLED,
      chunk({}, 'tool_calls'),
    ]);
    const { content } = await runCall({ baseUrl: endpoint.baseUrl, head: { tools: [tool('read')] } });
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Let me.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'thinking', thinking: 'More.', signature: 'bW9y' },
    ];
    expect((await sentBack(content))[2]).toMatchObject({ thinking_blocks });
    expect((await sentBack(content, 'openai/other'))[2]).not.toHaveProperty('thinking_blocks');
  });

  it('refusal in words → refusal', async () => {
    const endpoint = await startEventEndpoint([chunk({ refusal: 'I will not.' }), chunk({}, 'stop')]);
    const result = await runCall({ baseUrl: endpoint.baseUrl });
    expect(result).toMatchObject({
      stopReason: 'refusal',
      content: [{ type: 'text', text: 'I will not.' }],
    });
  });
});

/** The messages that `model` gets after a reply of `MODEL` with this content. */
async function sentBack(content: AssistantMessage['content'], model = MODEL) {
  const endpoint = await startEventEndpoint(DONE);
  await runCall({ baseUrl: endpoint.baseUrl, model, messages: [user('Go.'), reply(content)] });
  return endpoint.bodies[0]?.messages as Record<string, unknown>[];
}
