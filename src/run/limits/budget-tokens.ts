/** The share of usage that counts against token limits: cached input counts by its price (LI10). */
import type { Usage } from '../messages/message.js';

/** The price of a cached input token relative to a new one, if prices are unknown. */
export const CACHED_PRICE = 0.1;

interface InputPrices {
  input: number;
  /** Default: the same as `input`. */
  cachedInput?: number;
}

/** Returns the cached input tokens that do not count, a whole number. `prices` is null if unknown. */
export function cacheDiscount(
  { inputTokens, cachedInputTokens }: Pick<Usage, 'inputTokens' | 'cachedInputTokens'>,
  prices: InputPrices | null,
): number {
  const cached = Math.min(cachedInputTokens, inputTokens);
  return cached - Math.round(cached * priceShare(prices));
}

/** A higher price than new input's counts as input, as for writes to a cache. */
function priceShare(prices: InputPrices | null): number {
  // A price of 0 tells as little about the cost of cached tokens as an unknown price.
  if (!prices || prices.input <= 0) return CACHED_PRICE;
  return Math.min(1, (prices.cachedInput ?? prices.input) / prices.input);
}

/** Returns the tokens that `limits.tokens` and accounts count: input less its discount, plus output. */
export function budgetTokens({
  inputTokens,
  cachedInputTokens,
  cacheDiscountTokens = 0,
  outputTokens,
}: Usage): number {
  return inputTokens - Math.min(cacheDiscountTokens, cachedInputTokens, inputTokens) + outputTokens;
}
