/** Marks up to which routers keep a conversation for Claude in Anthropic's cache, which keeps nothing unasked (FE10). */
import { isRecord } from '../../core/text/json.js';
import type { WireMessage } from './wire-messages.js';

const MARK = { cache_control: { type: 'ephemeral' } } as const;

/** `anthropic/claude-…` of OpenRouter, `bedrock/anthropic.claude-…` of LiteLLM, `claude-…` of gateways. */
export function wantsMarks(model: string): boolean {
  return /(^|[/.:])(anthropic[/.]|claude-)/i.test(model);
}

/** Marks at the ends of the system prompt, of the conversation, and of what the request before this one had of it. */
export function withCacheMarks(wire: readonly WireMessage[]): WireMessage[] {
  const lastReply = wire.findLastIndex(({ role }) => role === 'assistant');
  const marked = new Set([wire[0]?.role === 'system' ? 0 : -1, lastReply - 1, wire.length - 1]);
  return wire.map((message, index) => (marked.has(index) ? marking(message) : message));
}

function marking(message: WireMessage): WireMessage {
  // Its content is a text alone; routers take the mark beside it.
  if (message.role === 'tool') return { ...message, ...MARK } as WireMessage;
  if (message.role !== 'user' && message.role !== 'system') return message;
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];
  const last = parts.pop();
  return last === undefined
    ? message
    : ({ ...message, content: [...parts, { ...last, ...MARK }] } as WireMessage);
}

export function isMarked(messages: unknown): boolean {
  const isOne = (value: unknown) => isRecord(value) && 'cache_control' in value;
  const contentOf = (message: unknown) =>
    isRecord(message) && Array.isArray(message.content) ? message.content : [];
  return (
    Array.isArray(messages) && messages.some(message => isOne(message) || contentOf(message).some(isOne))
  );
}

export function withoutCacheMarks(wire: readonly WireMessage[]): WireMessage[] {
  return wire.map(message => {
    const { cache_control: _beside, ...kept } = message as WireMessage & Partial<typeof MARK>;
    if (!Array.isArray(kept.content)) return kept as WireMessage;
    const content = kept.content.map(
      ({ cache_control: _mark, ...part }: object & Partial<typeof MARK>) => part,
    );
    const [only, ...others] = content as { type?: string; text?: string }[];
    return {
      ...kept,
      content: others.length === 0 && only?.type === 'text' ? only.text : content,
    } as WireMessage;
  });
}
