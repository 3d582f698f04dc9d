/** A call in the midst of a conversation with tools and a picture, at an endpoint that refuses it. */

import { toolResult } from '../../src/conversation/tool-result.js';
import { createProvider } from '../../src/models/protocols.js';
import { createProviders } from '../../src/models/provider/providers.js';
import type { AssistantMessage, Message } from '../../src/run/messages/message.js';
import { type Answer, startEventEndpoint } from './event-endpoint.js';
import { type CallSetup, MODEL, runCall, tool, user } from './model-calls.js';

const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
export const DONE = [chunk({ content: 'ok' }), chunk({}, 'stop')];

export const CALL = { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a' } } as const;
const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0, costUsd: 0 };
export const reply = (content: AssistantMessage['content'], id = 'm2'): AssistantMessage => ({
  id,
  at: 1,
  kind: 'assistant',
  role: 'executor',
  action: 'calling_tool',
  stopReason: 'tool_use',
  usage,
  model: MODEL,
  content,
});
const SHOT = { type: 'image' as const, mimeType: 'image/png', ref: 'blob:shot', totalBytes: 8 };
const RESULT: Message = {
  id: 'm3',
  at: 1,
  kind: 'tool_result',
  content: [toolResult(CALL, 'executed', { content: [{ type: 'text', text: 'Seen.' }, SHOT] })],
};
// On the wire: system, user, assistant with the call, its result, the picture, user.
export const TALK: Message[] = [user('Goal.'), reply([CALL]), RESULT, user('Go on.', 'm4')];
export const toolSaid = (text: string): Message => ({
  id: 'm3',
  at: 1,
  kind: 'tool_result',
  content: [toolResult(CALL, 'executed', { content: [{ type: 'text', text }] })],
});
export const TOOLS = [
  tool('read', { properties: { path: { type: 'string', format: 'path' } } }),
  tool('search'),
  tool('write'),
];
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export async function play(answers: readonly Answer[], setup: Partial<CallSetup> = {}) {
  const endpoint = await startEventEndpoint(...answers);
  const { baseUrl, bodies } = endpoint;
  const provider = createProvider({ name: 'openai', baseUrl });
  const registry = createProviders({ openai: () => provider });
  const providers = {
    resolve: (id: string) => {
      const found = registry.resolve(id);
      return {
        ...found,
        info: { ...found.info, capabilities: { ...found.info.capabilities, vision: true } },
      };
    },
  };
  const head = {
    tools: TOOLS,
    temperature: 0.2,
    reasoning: 'low',
    maxOutputTokens: 900,
    ...setup.head,
  } as const;
  const call = () =>
    runCall({ baseUrl, messages: TALK, ...setup, head, deps: { providers, readBlob: async () => PNG } });
  return { call, bodies };
}

export const toolNames = (body: Record<string, unknown>) =>
  ((body.tools ?? []) as { function: { name: string } }[]).map(each => each.function.name);
