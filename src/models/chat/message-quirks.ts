/** Converts conversations for chat templates and endpoints that need another form. Each takes and returns wire messages. */
import { createHash } from 'node:crypto';
import { isRecord } from '../../base/json/json.js';
import type { AssistantMessage } from '../../run/messages/message.js';
import type { ModelRequest } from '../provider/provider.js';
import { withoutReasoning } from './reasoning-back.js';
import type { WireMessage } from './wire-messages.js';

/** `modelId` is the `endpoint/model` that receives the request, in the form in which replies name their model. */
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

/** Gives every reply a `reasoning_content`: its own, or a blank if it has none or another model wrote it. */
export const withReasoning: Change = (wire, request, modelId) => {
  const replies = request.messages.filter(message => message.kind === 'assistant');
  return mapReplies(wire, (message, index) => {
    const reply = replies[index];
    const { reasoning_content: own } = message as { reasoning_content?: string };
    if (!reply || own) return message;
    // Kimi's endpoint treats an empty text as missing.
    return { ...message, reasoning_content: reasoningOf(reply, modelId) || ' ' } as WireMessage;
  });
};

/** Gives replies that consist of tool calls only this text as content. */
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

/** Replaces ids of tool calls by ids of nine letters and digits. The same call always gets the same id. */
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

/** Gives the first call of each reply a signature. A call of another model gets the value that skips validation. */
export const withSignatures: Change = wire =>
  mapReplies(wire, message => {
    if (!('tool_calls' in message) || !message.tool_calls) return message;
    const [first, ...rest] = message.tool_calls;
    if (!first || isRecord((first as { extra_content?: unknown }).extra_content)) return message;
    const extra_content = { google: { thought_signature: 'skip_thought_signature_validator' } };
    return { ...message, tool_calls: [{ ...first, extra_content }, ...rest] } as WireMessage;
  });

/** Removes all signatures of replies, wherever they are, and gives each reply's first call the value above. */
export const withOtherSignatures: Change = (wire, request, modelId) => {
  const bare = mapReplies(wire, message => {
    const reply = withoutReasoning(message);
    if (!reply.tool_calls) return reply;
    const tool_calls = reply.tool_calls.map(call => {
      const { extra_content: _signature, ...kept } = call as typeof call & { extra_content?: unknown };
      return kept;
    });
    return { ...reply, tool_calls };
  });
  return withSignatures(bare, request, modelId);
};

/** Inserts a reply between tool results and the next user message. */
export const withReplyAfterTools: Change = wire =>
  wire.flatMap((message, index) =>
    message.role === 'user' && wire[index - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: 'Understood.' } as const, message]
      : [message],
  );

/** Puts the system prompt at the beginning of the first user message. */
export const withSystemInUser: Change = (wire, request, modelId) => {
  const [system, ...rest] = wire;
  const first: WireMessage[] = system?.role === 'system' ? [{ role: 'user', content: system.content }] : [];
  return withOneUserAtATime([...first, ...(first.length > 0 ? rest : wire)], request, modelId);
};

/** Merges consecutive user messages into one. */
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
