/** What the account of a run is charged, and when it may use no more. */

import type { Usage } from '../state/message.js';
import { budgetTokens } from './budget-tokens.js';
import type { BudgetUse, Limits } from './limits.js';

/** What a run pins of its account. */
export interface CreditTerms {
  /** Id of the account. */
  account: string;
  perUsd: number;
  perTurn: number;
  perThousandTokens: number;
  /** Null for no limit. */
  tokensPerDay: number | null;
  /** The run has one of the places of its account. */
  hasPlace: boolean;
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
}

interface Total {
  usage: Usage;
  turns: number;
}

export function newCharged({ balance, dayTokens }: CreditTerms): Charged {
  return { turns: 0, tokens: 0, costUsd: 0, balance, dayTokens };
}

/** What was used since the last charge, whatever it was used for: failed calls too. Null for nothing. */
export function dueCharge(
  { perUsd, perTurn, perThousandTokens }: CreditTerms,
  { usage, turns }: Total,
  charged: Charged,
): { due: { credits: number; tokens: number }; upTo: Omit<Charged, 'balance' | 'dayTokens'> } | null {
  const upTo = { turns, tokens: budgetTokens(usage), costUsd: usage.costUsd ?? charged.costUsd };
  const tokens = upTo.tokens - charged.tokens;
  const newTurns = upTo.turns - charged.turns;
  if (tokens === 0 && newTurns === 0) return null;
  const credits =
    (upTo.costUsd - charged.costUsd) * perUsd + newTurns * perTurn + (tokens / 1_000) * perThousandTokens;
  return { due: { credits, tokens }, upTo };
}

/** Why the account may use no more, in a sentence; null where it may. */
export function usedUp(
  { account, tokensPerDay }: CreditTerms,
  { balance, dayTokens }: { balance: number; dayTokens: number },
): string | null {
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
  const { credits, tokens } = dueCharge(terms, total, charged)?.due ?? { credits: 0, tokens: 0 };
  const left = Math.max(0, charged.balance - credits);
  const units = (price: number) => (price > 0 ? left / price : Number.POSITIVE_INFINITY);
  const { tokensPerDay, perTurn, perUsd, perThousandTokens } = terms;
  const ofDay = tokensPerDay === null ? Number.POSITIVE_INFINITY : tokensPerDay - charged.dayTokens - tokens;
  const paidTokens = Math.min(1_000 * units(perThousandTokens), Math.max(0, ofDay));
  const paidUsd = perUsd > 0 && used.costUsd !== null ? used.costUsd + units(perUsd) : null;
  return {
    ...limits,
    turns: Math.min(limits.turns, used.turns + Math.ceil(units(perTurn))),
    tokens: Math.min(limits.tokens, used.tokens + Math.ceil(paidTokens)),
    costUsd: paidUsd === null ? limits.costUsd : Math.min(limits.costUsd ?? paidUsd, paidUsd),
  };
}
