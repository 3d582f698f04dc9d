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
    /** In a sub-agent, whose caller is charged: the account's state when the agent began. */
    creditsSeen?: CreditTerms;
  }
}

declare module '../../activities/types.js' {
  interface MomentParts {
    charges?: Charges;
    /** The account whose place is taken or released, or that gets the refund. */
    account?: string;
    runsAtOnce?: number;
    /** Charges whose keys have this prefix are refunded, by both pools. */
    refund?: string;
    /** The account of the second pool. */
    second?: string;
  }
  interface MomentEndParts {
    account?: Pool;
    second?: Pool;
  }
}

/** The state of an account. */
export interface Pool {
  balance: number;
  dayTokens: number;
}

export interface Charges {
  account: string;
  /** The account of the second pool. */
  second?: string;
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
  /** Pays where the first pool has nothing left. */
  second?: Pool & { account: string };
  /** Runs continue at zero. */
  goesOn?: true;
  /** Notifies people once when all pools together have less. */
  warnBelow?: number;
}

/** The usage charged so far, and the account's state after that charge. */
export interface Charged {
  turns: number;
  tokens: number;
  costUsd: number;
  balance: number;
  dayTokens: number;
  second?: Pool;
  /** People were notified that little is left. */
  warned?: true;
  /** Unconfirmed charges: they may have been made, so they are sent again with their own keys. */
  open: KeyedCharge[];
}

/** A charge with its key: the account charges each key once. */
export interface KeyedCharge {
  key: string;
  credits: number;
  tokens: number;
  /** The second pool pays. */
  second?: true;
}

/** The usage that has been charged so far; null without an account. */
export const chargedSoFar = new Slice<Charged | null>('credits', {
  initial: () => null,
  // Limit of unconfirmed charges: at most one for each parallel task, one of the goal and one of the run.
  bytes: 256 + (MOST_PARALLEL_TASKS + 2) * 170,
  earlier: ({ total }) => {
    if (!isRecord(total)) return undefined;
    const { charged } = total;
    delete total.charged;
    return charged as Charged | null | undefined;
  },
});

interface Total {
  usage: Usage;
  turns: number;
  usageBy: readonly UsageEntry[];
}

export function newCharged({ balance, dayTokens, second }: CreditTerms): Charged {
  const other = second && { balance: second.balance, dayTokens: second.dayTokens };
  return { turns: 0, tokens: 0, costUsd: 0, balance, dayTokens, ...(other && { second: other }), open: [] };
}

/** True if the second pool pays for what comes now (H6). */
export function paysSecond({ balance, second }: Pool & { second?: Pool }): boolean {
  return second !== undefined && balance <= 0;
}

/** Returns what both pools have left together; what one of them owes does not count against the other. */
export function leftIn({ balance, second }: Pool & { second?: Pool }): number {
  return second === undefined ? balance : Math.max(0, balance) + second.balance;
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
  { account, perUsd, tokensPerDay, goesOn }: CreditTerms,
  now: Pool & { second?: Pool },
  { usage }: Pick<Total, 'usage'>,
): string | null {
  const dayTokens = now.dayTokens + (now.second?.dayTokens ?? 0);
  if (perUsd > 0 && usage.costUsd === null)
    return `What a call cost is not known, so the account ${account} could not be charged for it.`;
  if (goesOn !== true && leftIn(now) <= 0) return `The credits of the account ${account} are used up.`;
  if (tokensPerDay !== null && dayTokens >= tokensPerDay)
    return `The account ${account} has used its ${tokensPerDay} tokens of the day.`;
  return null;
}

/**
 * Lowers a goal's limits to what its account can pay. Sub-agents share this amount, because they are charged at their
 * end. `used` is the goal's usage, `total` its run's.
 */
export function limitsPaidFor(
  limits: Limits,
  used: BudgetUse,
  { terms, total, charged }: { terms: CreditTerms; total: Total; charged: Charged },
): Limits {
  const { left: balance, dayTokens } = lessUnpaid(terms, total, charged);
  const left = terms.goesOn === true ? Number.POSITIVE_INFINITY : Math.max(0, balance);
  const units = (price: number) => (price > 0 ? left / price : Number.POSITIVE_INFINITY);
  const { tokensPerDay, perTurn, perUsd, perThousandTokens } = terms;
  const ofDay = tokensPerDay === null ? Number.POSITIVE_INFINITY : tokensPerDay - dayTokens;
  const paidTokens = Math.min(1_000 * units(perThousandTokens), Math.max(0, ofDay));
  const paidUsd = perUsd > 0 && used.costUsd !== null ? used.costUsd + units(perUsd) : null;
  return {
    ...limits,
    turns: Math.min(limits.turns, used.turns + Math.ceil(units(perTurn))),
    tokens: Math.min(limits.tokens, used.tokens + Math.ceil(paidTokens)),
    costUsd:
      paidUsd === null || paidUsd === Number.POSITIVE_INFINITY
        ? limits.costUsd
        : Math.min(limits.costUsd ?? paidUsd, paidUsd),
  };
}

/** Returns what the pools have left, less usage without a confirmed charge. */
function lessUnpaid(terms: CreditTerms, total: Total, charged: Charged): { left: number; dayTokens: number } {
  let left = leftIn(charged);
  let dayTokens = charged.dayTokens + (charged.second?.dayTokens ?? 0);
  const due = dueCharge(terms, total, charged)?.due;
  for (const { credits, tokens } of [...charged.open, ...(due ? [due] : [])]) {
    left -= credits;
    dayTokens += tokens;
  }
  return { left, dayTokens };
}

/** Returns the credits of a sub-agent's caller as far as the agent can tell: without what others use meanwhile. */
export function creditsSeenBy(seen: CreditTerms, total: Total): number {
  return seen.balance - (dueCharge(seen, total, newCharged(seen))?.due.credits ?? 0);
}
