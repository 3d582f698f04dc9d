/**
 * OpenAI's prompt cache: the longest beginning that a request has in common with an earlier one of the same model and
 * the same `prompt_cache_key`, from 1,024 tokens in steps of 128. Nothing is marked, and nothing is forgotten here.
 * https://platform.openai.com/docs/guides/prompt-caching
 */
import { estimateTokens } from '../../../../src/run/limits/tokens.js';

/** Input tokens of one request, by the project's estimate: all, those read from the cache, those written to it. */
export interface CacheCount {
  inputTokens: number;
  cached: number;
  written: number;
}

const FEWEST = 1_024;
const STEP = 128;

/** Beginnings that were seen, part by part: equal ones are kept once. */
type Seen = Map<string, SeenPart>;

interface SeenPart {
  tokens: number;
  /** What came behind it. */
  next: Seen;
}

export class PrefixCache {
  readonly #roots = new Map<string, Seen>();

  /** Counts a request, and keeps it. `route` is what must be equal for a cache to be shared. */
  read(route: string, parts: readonly string[]): CacheCount {
    let seen: Seen = this.#roots.get(route) ?? new Map();
    this.#roots.set(route, seen);
    let inputTokens = 0;
    let common: number | null = null;
    for (const part of parts) {
      const known = seen.get(part);
      // From the first part that is new on, only how far it is like another counts.
      if (!known) common ??= inputTokens + commonTokens(part, seen.keys());
      const here: SeenPart = known ?? { tokens: estimateTokens(part), next: new Map() };
      if (!known) seen.set(part, here);
      inputTokens += here.tokens;
      seen = here.next;
    }
    const found = common ?? inputTokens;
    const cached = found < FEWEST ? 0 : found - (found % STEP);
    return { inputTokens, cached, written: 0 };
  }
}

/** Tokens of the longest beginning that `part` has in common with one of the others. */
function commonTokens(part: string, others: Iterable<string>): number {
  let longest = 0;
  for (const other of others) {
    let at = 0;
    while (at < part.length && part[at] === other[at]) at += 1;
    longest = Math.max(longest, at);
  }
  return estimateTokens(part.slice(0, longest));
}
