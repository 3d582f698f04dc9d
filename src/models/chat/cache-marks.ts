/** Cache marks for Claude behind routers: Anthropic's endpoint caches only what is marked (FE10). */
import { isRecord } from '../../base/json/json.js';
import type { WireMessage } from './wire-messages.js';

const MARK = { cache_control: { type: 'ephemeral' } } as const;

/** Matches `anthropic/claude-…` of OpenRouter, `bedrock/anthropic.claude-…` of LiteLLM and `claude-…` of gateways. */
export function wantsMarks(model: string): boolean {
  return /(^|[/.:])(anthropic[/.]|claude-)/i.test(model);
}

/**
 * OpenRouter moves a mark inside a tool message's content to the result, but hangs without an answer if the mark is a
 * sibling of the content (2026). LiteLLM needs it as a sibling: it leaves a mark inside the content there, which
 * Anthropic refuses.
 */
const MARKED_WITHIN = /(^|\.)openrouter\.ai$/;

/** Marks the ends of the system prompt, of the conversation, and of the conversation as the previous request sent it. */
export function withCacheMarks(wire: readonly WireMessage[], host: string): WireMessage[] {
  const lastReply = wire.findLastIndex(({ role }) => role === 'assistant');
  const marked = new Set([wire[0]?.role === 'system' ? 0 : -1, lastReply - 1, wire.length - 1]);
  return wire.map((message, index) => (marked.has(index) ? marking(message, host) : message));
}

function marking(message: WireMessage, host: string): WireMessage {
  if (message.role === 'tool' && !MARKED_WITHIN.test(host)) return { ...message, ...MARK } as WireMessage;
  if (message.role === 'assistant') return message;
  const { content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  // Routers only take marks on texts, and Anthropic refuses a mark on an empty text.
  const at = parts.findLastIndex(part => part.type === 'text' && part.text.trim() !== '');
  if (at < 0) return message;
  const marked = parts.map((part, index) => (index === at ? { ...part, ...MARK } : part));
  return { ...message, content: marked } as WireMessage;
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
