/** How much of what calls use counts against limits of tokens: cached input weighs what it costs (LI10). */
import type { Usage } from '../messages/message.js';

/** What a cached token of input costs, beside a new one, where no price is known. */
export const CACHED_PRICE = 0.1;

interface InputPrices {
  input: number;
  /** Left out: as `input`. */
  cachedInput?: number;
}

/** Of the cached input, the tokens that do not count: a whole number from 0. `prices`: null where none are known. */
export function cacheDiscount(
  { inputTokens, cachedInputTokens }: Pick<Usage, 'inputTokens' | 'cachedInputTokens'>,
  prices: InputPrices | null,
): number {
  const cached = Math.min(cachedInputTokens, inputTokens);
  return cached - Math.round(cached * priceShare(prices));
}

/** A price above that of new input counts as input, as writes to a cache do. */
function priceShare(prices: InputPrices | null): number {
  // Of what costs nothing, the prices say no more than none.
  if (!prices || prices.input <= 0) return CACHED_PRICE;
  return Math.min(1, (prices.cachedInput ?? prices.input) / prices.input);
}

/** What `limits.tokens` and accounts count: input less its discount, and output. */
export function budgetTokens({
  inputTokens,
  cachedInputTokens,
  cacheDiscountTokens = 0,
  outputTokens,
}: Usage): number {
  return inputTokens - Math.min(cacheDiscountTokens, cachedInputTokens, inputTokens) + outputTokens;
}
