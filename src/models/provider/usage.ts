/** Usage of a call: an endpoint's report is a claim, and where it can't be right we count ourselves (LI4, M9). */
import type { Usage } from '../../run/messages/message.js';
import { type ModelInfo, pricedUsage } from './model-info.js';
import type { ReportedUsage } from './provider.js';

/** A token is at least a byte of text: our estimates are at most so many times too low. */
const MOST_TOKENS_A_ESTIMATED = 8;
/** Only blanks and repetitions have more than 32 characters in a token; a short request may be hardly more than these. */
const MOST_ESTIMATED_A_TOKEN = 8;
const HARDLY_COUNTED_TOKENS = 8_000;
/** Instructions that an endpoint or a chat template adds. */
const HIDDEN_INPUT_TOKENS = 20_000;
/** Reasoning that an endpoint does not show can fill a context window, and that of unknown models is not known. */
const HIDDEN_OUTPUT_TOKENS = 200_000;

/**
 * The claim, or null where it can't be right: not whole numbers from 0, none for a text that is there, or less or more
 * than this text can have. Cached tokens are among those of the input.
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
  // A reply may be all repetition, which tokenizers pack: 100,000 brackets are few tokens.
  if (isTooLow(inputTokens, estimate.inputTokens)) return null;
  const mostInput = MOST_TOKENS_A_ESTIMATED * estimate.inputTokens + HIDDEN_INPUT_TOKENS;
  const mostOutput =
    MOST_TOKENS_A_ESTIMATED * estimate.outputTokens + Math.max(contextTokens, HIDDEN_OUTPUT_TOKENS);
  if (inputTokens > mostInput || cachedInputTokens + cacheWriteInputTokens > inputTokens) return null;
  if (outputTokens > mostOutput || reasoningTokens > mostOutput) return null;
  return claim;
}

/** An endpoint that claims next to nothing would pass every budget. */
function isTooLow(claimed: number, estimated: number): boolean {
  return claimed * MOST_ESTIMATED_A_TOKEN + HARDLY_COUNTED_TOKENS < estimated;
}

/** Usage of a reply by a model, and whether its endpoint's claim was turned down. */
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
