/** The charges to a run's account, and the point at which the account is used up. */
import { isRecord } from '../../base/json/json.js';
import { budgetTokens } from '../../run/limits/budget-tokens.js';
import { type BudgetUse, type Limits, MOST_PARALLEL_TASKS } from '../../run/limits/limits.js';
import { type UsageEntry, usageOf } from '../../run/limits/usage-by.js';
import type { Usage } from '../../run/messages/message.js';
import { Slice } from '../../run/state/slice.js';

declare module '../../run/agents/run-config.js' {
  interface PinnedRun {
    /** Account that the run is charged to; absent if its start names none. */
    credits?: CreditTerms;
  }
}

declare module '../../activities/types.js' {
  interface MomentParts {
    charges?: Charges;
    /** The account whose place is taken or released, or that gets the refund. */
    account?: string;
    runsAtOnce?: number;
    /** Charges whose keys have this prefix are refunded. */
    refund?: string;
  }
  interface MomentEndParts {
    account?: { balance: number; dayTokens: number };
  }
}

/** The charges to an account. */
export interface Charges {
  account: string;
  all: readonly KeyedCharge[];
  /** The run has a place among those of its account, and keeps it. */
  keepsPlace: boolean;
}

/** The account data that a run pins. */
export interface CreditTerms {
  /** Id of the account. */
  account: string;
  perUsd: number;
  perTurn: number;
  perThousandTokens: number;
  /** Null: unlimited. */
  tokensPerDay: number | null;
  /** Concurrent runs of the account; null: unlimited, and runs then take no places. */
  runsAtOnce: number | null;
  /** The account's state when the run was loaded. */
  balance: number;
  dayTokens: number;
}

/** The usage charged so far, and the account's state after that charge. */
export interface Charged {
  turns: number;
  tokens: number;
  costUsd: number;
  balance: number;
  dayTokens: number;
  /** Unconfirmed charges: they may have been made, so they are sent again with their own keys. */
  open: KeyedCharge[];
}

/** A charge with its key: the account charges each key once. */
export interface KeyedCharge {
  key: string;
  credits: number;
  tokens: number;
}

/** The usage that has been charged so far; null without an account. */
export const chargedSoFar = new Slice<Charged | null>('credits', {
  initial: () => null,
  // Limit of unconfirmed charges: at most one for each parallel task, one of the goal and one of the run.
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

/** Returns the usage since the last charge, failed calls included. Null if there was no usage. */
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

/** Returns the known cost: if one call without a price makes the sum unknown, the parts still have the other costs. */
function knownCost({ usage, usageBy }: Total): number {
  return usage.costUsd ?? usageBy.reduce((sum, entry) => sum + (usageOf(entry).costUsd ?? 0), 0);
}

/** Returns why the account is used up, in a sentence; null if it is not. */
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
 * Lowers a goal's limits to what its account can pay. Sub-agents share this amount, because they are charged at their
 * end. `used`: by the goal; `total`: by its run.
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

/** Returns the account's balance less usage without a confirmed charge. */
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
