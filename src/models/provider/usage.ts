/** The usage of a call. An endpoint's report is only a claim; if it can't be right, our own estimate is used (LI4, M9). */
import type { Usage } from '../../run/messages/message.js';
import { type ModelInfo, pricedUsage } from './model-info.js';
import type { ReportedUsage } from './provider.js';

/** A token has at least one byte of text, so an estimate is at most this many times too low. */
const MOST_TOKENS_A_ESTIMATED = 8;
/**
 * Only blanks and repetitions have more than 32 characters per token. A short request may consist of almost nothing
 * else, hence the allowance below.
 */
const MOST_ESTIMATED_A_TOKEN = 8;
const HARDLY_COUNTED_TOKENS = 8_000;
/** Allowance for instructions that an endpoint or a chat template adds to the input. */
const HIDDEN_INPUT_TOKENS = 20_000;
/** Allowance for hidden reasoning, which can fill a context window; the window of unknown models is unknown. */
const HIDDEN_OUTPUT_TOKENS = 200_000;

/**
 * Returns the claim, or null if it can't be right: counts that are negative or not whole, 0 although there is text, or
 * counts too low or too high for the text. Cached tokens are part of the input tokens.
 */
function believedUsage(
  claim: ReportedUsage,
  estimate: ReportedUsage,
  contextTokens: number,
): ReportedUsage | null {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens = 0, reasoningTokens } = claim;
  const counts = [inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens, reasoningTokens];
  if (!counts.every(count => Number.isSafeInteger(count) && count >= 0)) return null;
  if (inputTokens === 0 && estimate.inputTokens > 0) return null;
  if (outputTokens === 0 && estimate.outputTokens > 0) return null;
  // Replies have no such lower bound, because a reply may be pure repetition: 100,000 brackets are few tokens.
  if (isTooLow(inputTokens, estimate.inputTokens)) return null;
  const mostInput = MOST_TOKENS_A_ESTIMATED * estimate.inputTokens + HIDDEN_INPUT_TOKENS;
  const mostOutput =
    MOST_TOKENS_A_ESTIMATED * estimate.outputTokens + Math.max(contextTokens, HIDDEN_OUTPUT_TOKENS);
  if (inputTokens > mostInput || cachedInputTokens + cacheWriteInputTokens > inputTokens) return null;
  if (outputTokens > mostOutput || reasoningTokens > mostOutput) return null;
  return claim;
}

/** An endpoint that claims almost no tokens would get past every budget. */
function isTooLow(claimed: number, estimated: number): boolean {
  return claimed * MOST_ESTIMATED_A_TOKEN + HARDLY_COUNTED_TOKENS < estimated;
}

/** Returns the usage of a reply, and whether the endpoint's claim was rejected. */
export function usageOfReply(
  { contextTokens, prices }: ModelInfo,
  claim: ReportedUsage | null,
  estimate: ReportedUsage,
): { usage: Usage; turnedDown: boolean } {
  const believed = claim && believedUsage(claim, estimate, contextTokens);
  const usage = believed
    ? pricedUsage(prices, believed)
    : { ...pricedUsage(prices, estimate), estimated: true };
  return { usage, turnedDown: claim !== null && believed === null };
}
