/**
 * Anthropic's prompt cache. A request is a row of blocks: tools, system, messages. A block that is marked writes what
 * goes up to it, from 1,024 tokens; a mark reads the longest beginning that an earlier request wrote, at the mark itself
 * or at one of the 19 blocks before it. Nothing is forgotten here: the real cache keeps what is read again within 5 minutes.
 * https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
 */
import { createHash } from 'node:crypto';
import { estimateTokens } from '../../../../src/run/limits/tokens.js';
import type { CacheCount } from './prefix-cache.js';

export interface CacheBlock {
  text: string;
  /** What spoils the cache from here on where it changes, besides the text. */
  beside: string;
  marked: boolean;
}

const FEWEST = 1_024;
/** Places that a mark looks at, itself the first. */
const LOOKED_AT = 20;

export class MarkedCache {
  readonly #written = new Set<string>();

  /** Counts a request, and keeps what it writes. */
  read(model: string, blocks: readonly CacheBlock[]): CacheCount {
    const prefixes = prefixesOf(model, blocks);
    const marks = blocks.flatMap(({ marked }, at) =>
      marked && (prefixes[at]?.tokens ?? 0) >= FEWEST ? [at] : [],
    );
    const cached = Math.max(0, ...marks.map(mark => this.#found(prefixes, mark)));
    const last = prefixes[marks.at(-1) ?? -1]?.tokens ?? 0;
    for (const mark of marks) this.#written.add(prefixes[mark]?.hash ?? '');
    return { inputTokens: prefixes.at(-1)?.tokens ?? 0, cached, written: Math.max(0, last - cached) };
  }

  /** Tokens of the longest beginning that this mark finds. */
  #found(prefixes: readonly Prefix[], mark: number): number {
    for (let at = mark; at > mark - LOOKED_AT && at >= 0; at -= 1) {
      const prefix = prefixes[at];
      if (prefix && this.#written.has(prefix.hash)) return prefix.tokens;
    }
    return 0;
  }
}

interface Prefix {
  hash: string;
  /** Up to and with its block. */
  tokens: number;
}

function prefixesOf(model: string, blocks: readonly CacheBlock[]): Prefix[] {
  let hash = model;
  let tokens = 0;
  return blocks.map(({ text, beside }) => {
    hash = createHash('sha256').update(`${hash}\n${beside}\n${text}`).digest('base64');
    tokens += estimateTokens(text);
    return { hash, tokens };
  });
}
