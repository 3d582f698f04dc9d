/** Marks for a cache, for Claude behind routers that speak chat completions: where they stand, and where there are none. */
import { describe, expect, it, test } from 'vitest';
import { toolResult } from '../../../../src/conversation/tool-result.js';
import { toChatBody } from '../../../../src/models/chat/provider.js';
import type { ModelRequest } from '../../../../src/models/provider/provider.js';
import type { Message } from '../../../../src/run/messages/message.js';
import { startEventEndpoint } from '../../../support/event-endpoint.js';
import { runCall, user } from '../../../support/model-calls.js';

const MARK = { cache_control: { type: 'ephemeral' } };
const CLAUDE = 'anthropic/claude-sonnet-4.5';

interface WireMessage {
  role: string;
  content: string | null | ({ type: string; text?: string } & Partial<typeof MARK>)[];
}

function asked(id: string): Message[] {
  const call = { type: 'tool_use', id, name: 'read', input: {} } as const;
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0, costUsd: 0 };
  const reply = {
    id: `m-${id}`,
    at: 1,
    kind: 'assistant',
    role: 'executor',
    action: 'calling_tool',
  } as const;
  const result = toolResult(call, 'executed', { content: [{ type: 'text', text: `Of ${id}.` }] });
  return [
    { ...reply, stopReason: 'tool_use', usage, model: `openrouter/${CLAUDE}`, content: [call] },
    { id: `r-${id}`, at: 1, kind: 'tool_result', content: [result] },
  ];
}

function wireOf(
  messages: Message[],
  { host = 'openrouter.ai', ...more }: Partial<ModelRequest> & { host?: string } = {},
) {
  const request = {
    prefix: 'own',
    system: 'You are a test.',
    tools: [],
    output: 'text',
    dialect: 'component',
    toolChoice: 'auto',
    toolSyntax: null,
    ...{ temperature: null, topP: null, reasoning: null, stop: [], maxOutputTokens: null, cacheKey: null },
    model: CLAUDE,
    messages,
    ...more,
  } as ModelRequest;
  return toChatBody({ name: 'openrouter', host }, request).messages as unknown as WireMessage[];
}

const isMarked = (message: WireMessage) => JSON.stringify(message).includes('cache_control');
const placesOf = (wire: readonly WireMessage[]) =>
  wire.flatMap((message, at) => (isMarked(message) ? [at] : []));

describe('marks for a cache', () => {
  it.each([
    ['OpenRouter', CLAUDE],
    ['OpenRouter, by its own choice', '~anthropic/claude-sonnet-latest'],
    ['LiteLLM', 'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['a gateway', 'claude-opus-5'],
    ['Vertex behind LiteLLM', 'vertex_ai/claude-haiku-4-5@20251001'],
  ])('%s: %s → Claude gets them (FE10)', (_who, model) => {
    expect(placesOf(wireOf([user('Goal.')], { model }))).toEqual([0, 1]);
  });

  it.each([
    'openai/gpt-5',
    'google/gemini-3-pro',
    'qwen/qwen3-coder',
    'anthropical-7b',
    'my-claude-like-7b',
    'not-claude',
  ])('%s → no other model does: its messages stay plain text (FE10)', model => {
    const wire = wireOf([user('Goal.')], { model });
    expect(wire).toEqual([
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'Goal.' },
    ]);
  });

  test('each next request → a mark at its end, and one where the request before it ended (FE10)', () => {
    const talks = [[], asked('c1'), [...asked('c2'), user('And now?', 'm9')], asked('c3')];
    let messages: Message[] = [user('Goal.')];
    let last: number | undefined;
    for (const more of talks) {
      messages = [...messages, ...more];
      const wire = wireOf(messages);
      const places = placesOf(wire);
      expect(places.length).toBeLessThanOrEqual(4);
      expect(places).toContain(0);
      expect(places).toContain(wire.length - 1);
      if (last !== undefined) expect(places).toContain(last);
      last = wire.length - 1;
    }
  });

  it.each([
    // A mark beside its content made OpenRouter hang without a word (2026); it moves one in the content to the result.
    ['openrouter.ai', { content: [{ type: 'text', text: expect.stringContaining('Of c1.'), ...MARK }] }],
    // LiteLLM puts the one beside it on the result; Anthropic refuses one within a result.
    ['litellm.example', { content: expect.stringContaining('Of c1.'), ...MARK }],
  ])('%s: a result at the end → marked where it is taken (FE10)', (host, message) => {
    const [, , , result] = wireOf([user('Goal.'), ...asked('c1')], { host });
    expect(result).toEqual({ role: 'tool', tool_call_id: expect.any(String), ...message });
  });

  test('a picture → the text before it is marked: routers take marks on texts alone (FE10)', () => {
    const pictures = new Map([['m1', [{ mimeType: 'image/png', data: 'iVBORw0KGgo=' }]]]);
    const [, goal] = wireOf([user('Look.')], { pictures: pictures as never });
    expect(goal?.content).toMatchObject([{ type: 'text', text: 'Look.', ...MARK }, { type: 'image_url' }]);
    expect(JSON.stringify(goal).match(/cache_control/g)).toHaveLength(1);
  });

  test('no system prompt, a first message of the model → no mark out of place (FE10)', () => {
    const [reply] = asked('c1');
    const wire = wireOf([reply as Message, user('Go on.')], { system: '' });
    expect(placesOf(wire)).toEqual([1]);
  });

  it.each([
    'messages.0.content.0.cache_control: Extra inputs are not permitted',
    'Invalid type for messages[0].content: expected a string.',
  ])('a gateway that refuses them (%s) → none, then and later, and the same words (FE10)', async message => {
    const done = [{ choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] }];
    const { baseUrl, bodies } = await startEventEndpoint({ status: 400, error: { message } }, done);
    const setup = { baseUrl, model: 'openai/claude-sonnet-5', messages: [user('Goal.')] };
    const { lessons } = await runCall(setup);
    expect(JSON.stringify(bodies[0])).toContain('cache_control');
    expect(bodies[1]?.messages).toEqual([
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'Goal.' },
    ]);
    expect(lessons?.map(({ id }) => id)).toEqual(['form no cache marks 1']);
  });
});
