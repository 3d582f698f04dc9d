/**
 * Decides which changes to a conversation before a call pay off: a changed thread is sent once at the full price, and
 * is shorter afterwards.
 */
import { ownValue } from '../../base/json/json.js';
import { CACHED_PRICE } from '../../run/limits/budget-tokens.js';
import {
  BUILT_IN_TRANSFORMS,
  type ContextRules,
  type TransformLists,
} from '../../run/limits/context-rules.js';

export function transformsOf(
  { transforms, roleTransforms = {} }: TransformLists,
  role: string,
): readonly string[] {
  return ownValue(roleTransforms, role) ?? transforms ?? BUILT_IN_TRANSFORMS;
}

export function softTokensOf(rules: ContextRules, role: string, windowTokens: number): number {
  const soft = softOf(rules, role);
  return soft <= 1 ? Math.floor(soft * windowTokens) : soft;
}

function softOf({ softTokens, roles = {} }: ContextRules, role: string): number {
  return ownValue(roles, role) ?? softTokens;
}

/**
 * True if the role's limit is a share of the window, not a count of tokens. The price may then decide before the
 * limit is reached.
 */
export function isShare(rules: ContextRules, role: string): boolean {
  return softOf(rules, role) <= 1;
}

/**
 * A change must save at least this share, so that many turns pass before the next: each breaks the endpoint's cache.
 * Runs that began earlier keep the old share.
 */
const LEAST_SAVED_SHARE = 0.3;
export const EARLIER_SAVED_SHARE = 0.1;

export interface ThinAsked {
  /** Tokens of the thread before and after the change. */
  before: number;
  after: number;
  /** Share of the input so far that came from a cache, 0 to 1. */
  cachedShare: number;
  /** Turns so far. The same number is expected to follow, as the future is unknown. */
  turns: number;
}

/** True if leaving results out is cheaper than sending them on. */
export function thinPays(asked: ThinAsked, leastShare = LEAST_SAVED_SHARE): boolean {
  const { before, after } = asked;
  return before - after >= before * leastShare && saving(asked) > 0;
}

/** Far below the limit a change must save at least this share. */
const LEAST_UNNEEDED_SHARE = 0.4;
/** The share of left out tokens that is expected to be read again, at the full price. */
const READ_AGAIN_SHARE = 0.15;

export interface CarriedAsked {
  /** Tokens of the thread, of the results to leave out, and of the messages after the first such result that stay. */
  before: number;
  saved: number;
  behind: number;
  /** Sum over these results: tokens times the number of calls that have sent it although it was not needed. */
  carried: number;
  /** The cached share of the tokens that requests repeated, 0 to 1. */
  cachedShare: number;
}

/**
 * True if sending unneeded results again and again has cost as much as leaving them out would cost now. The number of
 * later calls is unknown: this rule pays at most twice the price of a run that knew it.
 */
export function carryingCostsMore({ before, saved, behind, carried, cachedShare }: CarriedAsked): boolean {
  const changed = behind * (1 - CACHED_PRICE) * cachedShare + saved * READ_AGAIN_SHARE;
  return saved >= before * LEAST_UNNEEDED_SHARE && carried * priceOfToken(cachedShare) > changed;
}

/** The price of an output token relative to an input token. */
const OUTPUT_PRICE = 5;
/** A summary has about a fifth of the tokens that it replaces, at most the number asked for. */
const SUMMARY_SHARE = 0.2;
const SUMMARY_TOKENS = 1_500;
/** A summary that leaves more than this share is not worth the information lost. */
const MOST_LEFT_SHARE = 0.7;

export interface SummaryAsked extends Omit<ThinAsked, 'after'> {
  /** Tokens that would stay unchanged. */
  kept: number;
  /** Tokens of the summary that is replaced too, since the next one includes its content. 0 without one. */
  earlier: number;
}

function sizeOfSummary({ before, kept, earlier }: SummaryAsked): number {
  return Math.max(earlier, Math.min(SUMMARY_TOKENS, (before - kept) * SUMMARY_SHARE));
}

/** True if a written summary is short enough compared with the tokens that it replaces. */
export function summaryShrinks(summary: number, gone: number): boolean {
  return summary <= gone * MOST_LEFT_SHARE;
}

/** Summaries may take this share of a goal's tokens, so that they never become its main work. */
const SUMMARIES_SHARE = 0.1;

export interface SummaryPrice {
  /** Tokens that the goal has sent without its summaries, and tokens that its summaries have sent and written. */
  sent: number;
  spent: number;
  /** The maximum cost of one more summary. */
  price: number;
}

export function summaryIsAffordable({ sent, spent, price }: SummaryPrice): boolean {
  // The request after it does not count: it is shorter by what the summary saves, and may never come.
  return spent + price <= sent * SUMMARIES_SHARE;
}

/** With fewer tokens than this, a summary is not worth its call: they are trimmed. */
const LEAST_SUMMARISED = 2_000;

/** True if a summary makes the thread much shorter, at any price: used when the model takes no more. */
export function compactionHelps(asked: SummaryAsked): boolean {
  const { before, kept } = asked;
  return before - kept >= LEAST_SUMMARISED && kept + sizeOfSummary(asked) <= before * MOST_LEFT_SHARE;
}

/** True if a summary is cheaper than the messages it replaces, although they are read once more to write it. */
export function compactionPays(asked: SummaryAsked): boolean {
  const { before, kept, cachedShare } = asked;
  const written = sizeOfSummary(asked);
  const price = before * priceOfToken(cachedShare) + written * OUTPUT_PRICE;
  return compactionHelps(asked) && saving({ ...asked, after: kept + written }) > price;
}

/** Returns the saving over the expected turns, in tokens at the full price. */
function saving({ before, after, cachedShare, turns }: ThinAsked): number {
  const costOnce = after * (1 - CACHED_PRICE) * cachedShare;
  return (before - after) * priceOfToken(cachedShare) * turns - costOnce;
}

function priceOfToken(cachedShare: number): number {
  return 1 - (1 - CACHED_PRICE) * cachedShare;
}
