/** Conversations as some chat templates and endpoints want them: each takes wire messages and gives others. */
import { createHash } from 'node:crypto';
import { isRecord } from '../../base/json/json.js';
import type { AssistantMessage } from '../../run/messages/message.js';
import type { ModelRequest } from '../provider/provider.js';
import { withoutReasoning } from './reasoning-back.js';
import type { WireMessage } from './wire-messages.js';

/** `modelId`: of the model that it goes to, as replies name theirs. */
type Change = (messages: WireMessage[], request: ModelRequest, modelId: string) => WireMessage[];

export function messages(change: Change): {
  path: string;
  value(given: unknown, request: ModelRequest, modelId: string): unknown;
} {
  return {
    path: 'messages',
    value: (given, request, modelId) => change(given as WireMessage[], request, modelId),
  };
}

/** Every reply with tool calls has `reasoning_content`: its own, or a blank where another model gave it. */
export const withReasoning: Change = (wire, request, modelId) => {
  const replies = request.messages.filter(message => message.kind === 'assistant');
  return mapReplies(wire, (message, index) => {
    const reply = replies[index];
    const { reasoning_content: own } = message as { reasoning_content?: string };
    if (!reply || !('tool_calls' in message) || own) return message;
    // Kimi's endpoint takes an empty text for none.
    return { ...message, reasoning_content: reasoningOf(reply, modelId) || ' ' } as WireMessage;
  });
};

/** Replies with calls and nothing else say this. */
export function withTextBesideCalls(text: string): Change {
  return wire => mapReplies(wire, message => (message.content ? message : { ...message, content: text }));
}

export function hasNoContent(given: unknown): boolean {
  return Array.isArray(given) && given.some(message => isRecord(message) && message.content === null);
}

export const withNoReasoning: Change = wire => mapReplies(wire, withoutReasoning);

function reasoningOf(reply: AssistantMessage, modelId: string): string {
  if (reply.model !== modelId) return '';
  return reply.content.flatMap(block => (block.type === 'reasoning' ? [block.text] : [])).join('\n');
}

/** Ids of tool calls of nine letters and digits; the same id for the same call each time. */
export const withShortIds: Change = wire =>
  wire.map(message => {
    if (message.role === 'tool') return { ...message, tool_call_id: shortId(message.tool_call_id) };
    if (message.role !== 'assistant' || !message.tool_calls) return message;
    return { ...message, tool_calls: message.tool_calls.map(call => ({ ...call, id: shortId(call.id) })) };
  });

const SHORT_ID = /^[a-zA-Z0-9]{9}$/;

function shortId(id: string): string {
  return SHORT_ID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** The first call of each reply has a signature: where another model made it, the one that says so. */
export const withSignatures: Change = wire =>
  mapReplies(wire, message => {
    if (!('tool_calls' in message) || !message.tool_calls) return message;
    const [first, ...rest] = message.tool_calls;
    if (!first || isRecord((first as { extra_content?: unknown }).extra_content)) return message;
    const extra_content = { google: { thought_signature: 'skip_thought_signature_validator' } };
    return { ...message, tool_calls: [{ ...first, extra_content }, ...rest] } as WireMessage;
  });

/** A reply between the results of tools and what a person says next. */
export const withReplyAfterTools: Change = wire =>
  wire.flatMap((message, index) =>
    message.role === 'user' && wire[index - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: 'Understood.' } as const, message]
      : [message],
  );

/** The system prompt as the beginning of what the user says first. */
export const withSystemInUser: Change = (wire, request, modelId) => {
  const [system, ...rest] = wire;
  const first: WireMessage[] = system?.role === 'system' ? [{ role: 'user', content: system.content }] : [];
  return withOneUserAtATime([...first, ...(first.length > 0 ? rest : wire)], request, modelId);
};

/** Messages of the user that follow each other as one. */
export const withOneUserAtATime: Change = wire => {
  const joined: WireMessage[] = [];
  for (const message of wire) {
    const before = joined.at(-1);
    if (before?.role !== 'user' || message.role !== 'user') joined.push(message);
    else joined[joined.length - 1] = { role: 'user', content: together(before.content, message.content) };
  }
  return joined;
};

type UserContent = (WireMessage & { role: 'user' })['content'];

function together(first: UserContent, second: UserContent): UserContent {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  const partsOf = (content: UserContent) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return [...partsOf(first), ...partsOf(second)];
}

function mapReplies(
  wire: WireMessage[],
  change: (message: WireMessage & { role: 'assistant' }, index: number) => WireMessage,
): WireMessage[] {
  let index = 0;
  return wire.map(message => (message.role === 'assistant' ? change(message, index++) : message));
}
