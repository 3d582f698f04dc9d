/**
 * What is done to a conversation before a call, and whether it is worth sending less: a thread that is changed is sent at
 * the full price once, and is shorter after.
 */
import { ownValue } from '../../base/json/json.js';

/** `thin`: old results are left out; `compact`: a model summarises; `trim`: within what the model takes, always the last. */
export const BUILT_IN_TRANSFORMS = ['thin', 'compact', 'trim'] as const;
type BuiltIn = (typeof BUILT_IN_TRANSFORMS)[number];

/** What a run pins of them: absent lists are the built-in ones. */
export interface TransformLists {
  transforms?: readonly string[];
  /** Of roles that have a list of their own. */
  roleTransforms?: Readonly<Record<string, readonly string[]>>;
}

export function transformsOf(
  { transforms, roleTransforms = {} }: TransformLists,
  role: string,
): readonly string[] {
  return ownValue(roleTransforms, role) ?? transforms ?? BUILT_IN_TRANSFORMS;
}

export function isBuiltInTransform(name: string): name is BuiltIn {
  return BUILT_IN_TRANSFORMS.some(each => each === name);
}

import { CACHED_PRICE } from './budget-tokens.js';

/** Where the conversation is longer than this, its old results are looked at (X2), and then the whole of it. */
export interface ContextRules extends TransformLists {
  softTokens: number;
  /** Of roles that have a limit of their own. */
  roles?: Record<string, number>;
  /** What results leave is summarised by a model: `model`, where not by that of the role. Absent: never. */
  compacts?: { model?: string };
}

export function softTokensOf({ softTokens, roles = {} }: ContextRules, role: string): number {
  return Object.hasOwn(roles, role) ? (roles[role] ?? softTokens) : softTokens;
}

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
export function thinPays(asked: ThinAsked): boolean {
  const { before, after } = asked;
  return before - after >= before * LEAST_SAVED_SHARE && saving(asked) > 0;
}

/** What a token of output costs beside one of input. */
const OUTPUT_PRICE = 5;
/** A summary has about a fifth of what it takes the place of, and no more than it is asked for. */
const SUMMARY_SHARE = 0.2;
const SUMMARY_TOKENS = 1_500;
/** A summary that leaves more than this is not worth what it loses. */
const MOST_LEFT_SHARE = 0.7;

export interface SummaryAsked extends Omit<ThinAsked, 'after'> {
  /** Tokens of what would stay as it is. */
  kept: number;
  /** Of the summary that goes with the rest: the next one takes up what it says. 0 for none. */
  earlier: number;
}

function sizeOfSummary({ before, kept, earlier }: SummaryAsked): number {
  return Math.max(earlier, Math.min(SUMMARY_TOKENS, (before - kept) * SUMMARY_SHARE));
}

/** Whether a summary that was written is short enough beside the tokens that it takes the place of. */
export function summaryShrinks(summary: number, gone: number): boolean {
  return summary <= gone * MOST_LEFT_SHARE;
}

/** Summaries may take this share of the tokens that a goal sends, so they can't become its work. */
const SUMMARIES_SHARE = 0.1;

export interface SummaryPrice {
  /** Tokens that the goal has sent, but for its summaries; and what those have taken, sent and written. */
  sent: number;
  spent: number;
  /** What one more takes at most. */
  price: number;
}

export function summaryIsAffordable({ sent, spent, price }: SummaryPrice): boolean {
  // The request after it does not count: it is shorter by what the summary saves, and may never come.
  return spent + price <= sent * SUMMARIES_SHARE;
}

/** Of fewer tokens than this, a summary is not worth its call: they are trimmed. */
const LEAST_SUMMARISED = 2_000;

/** Whether it makes the thread much shorter, whatever it costs: asked where the model takes no more. */
export function compactionHelps(asked: SummaryAsked): boolean {
  const { before, kept } = asked;
  return before - kept >= LEAST_SUMMARISED && kept + sizeOfSummary(asked) <= before * MOST_LEFT_SHARE;
}

/** Whether a summary is cheaper than what it takes the place of: it is read for it once more, and written. */
export function compactionPays(asked: SummaryAsked): boolean {
  const { before, kept, cachedShare } = asked;
  const written = sizeOfSummary(asked);
  const price = before * priceOfToken(cachedShare) + written * OUTPUT_PRICE;
  return compactionHelps(asked) && saving({ ...asked, after: kept + written }) > price;
}

/** In tokens at the full price, over the turns that are reckoned with. */
function saving({ before, after, cachedShare, turns }: ThinAsked): number {
  const costOnce = after * (1 - CACHED_PRICE) * cachedShare;
  return (before - after) * priceOfToken(cachedShare) * turns - costOnce;
}

function priceOfToken(cachedShare: number): number {
  return 1 - (1 - CACHED_PRICE) * cachedShare;
}
