/**
 * Marks up to which the endpoint keeps a request in its cache, four at most: the ends of the tools, of the system
 * prompt, of the conversation, and of what the request before this one had of it. That one is read from the cache
 * however many blocks came since: from any other mark the endpoint looks back over twenty only.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type { WireBlock, WireTurn } from './wire-messages.js';

const MARK: { cache_control: Anthropic.CacheControlEphemeral } = { cache_control: { type: 'ephemeral' } };

/** The list with a mark at its end. */
export function markedAtEnd<Part extends object>(parts: readonly Part[]): Part[] {
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...MARK } : part));
}

/** The turns with a mark at the end, and one before the last reply, where the request for it ended. */
export function markedTurns(turns: readonly WireTurn[]): WireTurn[] {
  const lastReply = turns.findLastIndex(({ role }) => role === 'assistant');
  const marked = new Set([turns.length - 1, lastReply - 1]);
  return turns.map((turn, index) =>
    marked.has(index) ? { ...turn, content: markedAtEnd<WireBlock>(turn.content) } : turn,
  );
}
