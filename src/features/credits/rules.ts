/** What the account of a run is charged, and when it may use no more. */
import { isRecord } from '../../base/json/json.js';
import { budgetTokens } from '../../run/limits/budget-tokens.js';
import { type BudgetUse, type Limits, MOST_PARALLEL_TASKS } from '../../run/limits/limits.js';
import { type UsageEntry, usageOf } from '../../run/limits/usage-by.js';
import type { Usage } from '../../run/messages/message.js';
import { Slice } from '../../run/state/slice.js';

declare module '../../run/agents/run-config.js' {
  interface PinnedRun {
    /** Account that the run is charged to; absent for none. */
    credits?: CreditTerms;
  }
}

declare module '../../activities/types.js' {
  interface MomentParts {
    charges?: Charges;
    /** Whose place is taken or given back, or who gets the refund. */
    account?: string;
    runsAtOnce?: number;
    /** Charges whose keys begin so are given back. */
    refund?: string;
  }
  interface MomentEndParts {
    account?: { balance: number; dayTokens: number };
  }
}

/** What an account is charged. */
export interface Charges {
  account: string;
  all: readonly KeyedCharge[];
  /** The run has a place among those of its account, and keeps it. */
  keepsPlace: boolean;
}

/** What a run pins of its account. */
export interface CreditTerms {
  /** Id of the account. */
  account: string;
  perUsd: number;
  perTurn: number;
  perThousandTokens: number;
  /** Null for no limit. */
  tokensPerDay: number | null;
  /** Runs of the account at once; null for no limit: then none has a place. */
  runsAtOnce: number | null;
  /** As they were when the run was loaded. */
  balance: number;
  dayTokens: number;
}

/** How far a run is charged, of all that it has used; and what its account had then. */
export interface Charged {
  turns: number;
  tokens: number;
  costUsd: number;
  balance: number;
  dayTokens: number;
  /** That nobody has confirmed: they may have been taken, so they are sent again with their own keys. */
  open: KeyedCharge[];
}

/** Taken once for its key. */
export interface KeyedCharge {
  key: string;
  credits: number;
  tokens: number;
}

/** How far the run is charged; null without an account. */
export const chargedSoFar = new Slice<Charged | null>('credits', {
  initial: () => null,
  // Of what the store did not take, at most one charge for each task at work, one of the goal and one of the run.
  bytes: 180 + (MOST_PARALLEL_TASKS + 2) * 170,
  earlier: ({ total }) => {
    if (!isRecord(total) || total.charged === undefined) return undefined;
    const { charged } = total;
    delete total.charged;
    return charged as Charged | null;
  },
});

interface Total {
  usage: Usage;
  turns: number;
  usageBy: readonly UsageEntry[];
}

export function newCharged({ balance, dayTokens }: CreditTerms): Charged {
  return { turns: 0, tokens: 0, costUsd: 0, balance, dayTokens, open: [] };
}

/** What was used since the last charge, whatever it was used for: failed calls too. Null for nothing. */
export function dueCharge(
  { perUsd, perTurn, perThousandTokens }: CreditTerms,
  total: Total,
  charged: Charged,
): { due: Omit<KeyedCharge, 'key'>; upTo: Pick<Charged, 'turns' | 'tokens' | 'costUsd'> } | null {
  const { usage, turns } = total;
  const costUsd = Math.max(charged.costUsd, knownCost(total));
  const upTo = { turns, tokens: budgetTokens(usage), costUsd };
  const tokens = upTo.tokens - charged.tokens;
  const newTurns = upTo.turns - charged.turns;
  if (tokens === 0 && newTurns === 0) return null;
  const credits =
    (upTo.costUsd - charged.costUsd) * perUsd + newTurns * perTurn + (tokens / 1_000) * perThousandTokens;
  return { due: { credits, tokens }, upTo };
}

/** One call without a price hides the sum: what the others cost is in its parts. */
function knownCost({ usage, usageBy }: Total): number {
  return usage.costUsd ?? usageBy.reduce((sum, entry) => sum + (usageOf(entry).costUsd ?? 0), 0);
}

/** Why the account may use no more, in a sentence; null where it may. */
export function usedUp(
  { account, perUsd, tokensPerDay }: CreditTerms,
  { balance, dayTokens }: { balance: number; dayTokens: number },
  { usage }: Pick<Total, 'usage'>,
): string | null {
  if (perUsd > 0 && usage.costUsd === null)
    return `What a call cost is not known, so the account ${account} could not be charged for it.`;
  if (balance <= 0) return `The credits of the account ${account} are used up.`;
  if (tokensPerDay !== null && dayTokens >= tokensPerDay)
    return `The account ${account} has used its ${tokensPerDay} tokens of the day.`;
  return null;
}

/**
 * The limits of a goal, as far as its account pays for them: sub-agents share what they leave, for they are charged
 * at their end. `used` by the goal, `total` by its run.
 */
export function limitsPaidFor(
  limits: Limits,
  used: BudgetUse,
  { terms, total, charged }: { terms: CreditTerms; total: Total; charged: Charged },
): Limits {
  const { balance, dayTokens } = lessUnpaid(terms, total, charged);
  const left = Math.max(0, balance);
  const units = (price: number) => (price > 0 ? left / price : Number.POSITIVE_INFINITY);
  const { tokensPerDay, perTurn, perUsd, perThousandTokens } = terms;
  const ofDay = tokensPerDay === null ? Number.POSITIVE_INFINITY : tokensPerDay - dayTokens;
  const paidTokens = Math.min(1_000 * units(perThousandTokens), Math.max(0, ofDay));
  const paidUsd = perUsd > 0 && used.costUsd !== null ? used.costUsd + units(perUsd) : null;
  return {
    ...limits,
    turns: Math.min(limits.turns, used.turns + Math.ceil(units(perTurn))),
    tokens: Math.min(limits.tokens, used.tokens + Math.ceil(paidTokens)),
    costUsd: paidUsd === null ? limits.costUsd : Math.min(limits.costUsd ?? paidUsd, paidUsd),
  };
}

/** What the account has, less what was used and nobody has confirmed as paid. */
function lessUnpaid(
  terms: CreditTerms,
  total: Total,
  charged: Charged,
): { balance: number; dayTokens: number } {
  let { balance, dayTokens } = charged;
  const due = dueCharge(terms, total, charged)?.due;
  for (const { credits, tokens } of [...charged.open, ...(due ? [due] : [])]) {
    balance -= credits;
    dayTokens += tokens;
  }
  return { balance, dayTokens };
}
