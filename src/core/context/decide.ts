/** Whether it is worth sending less: a thread that is changed is sent at the full price once, and is shorter after. */

/** Where the conversation is longer than this, its old results are looked at (X2). */
export interface ContextRules {
  softTokens: number;
}

/** Of what is in a cache, an endpoint charges about a tenth. */
const CACHED_PRICE = 0.1;
/** What saves less than this share is not worth a change. */
const LEAST_SAVED_SHARE = 0.1;

export interface ThinAsked {
  /** Tokens of the thread as it is, and as it would be. */
  before: number;
  after: number;
  /** Share of the input so far that came from a cache, 0 to 1. */
  cachedShare: number;
  /** Turns so far: as many are reckoned with from here, for nobody knows how many come. */
  turns: number;
}

/** Whether leaving results out is cheaper than sending them on. */
export function thinPays({ before, after, cachedShare, turns }: ThinAsked): boolean {
  const saved = before - after;
  if (saved < before * LEAST_SAVED_SHARE) return false;
  const costOnce = after * (1 - CACHED_PRICE) * cachedShare;
  const priceOfTurn = 1 - (1 - CACHED_PRICE) * cachedShare;
  return saved * priceOfTurn * turns > costOnce;
}
