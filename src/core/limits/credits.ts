/** What the account of a run is charged, and when it may use no more. */

import type { Usage } from '../state/message.js';
import { budgetTokens } from './budget-tokens.js';

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
}

interface Total {
  usage: Usage;
  turns: number;
}

export function newCharged({ balance }: CreditTerms): Charged {
  return { turns: 0, tokens: 0, costUsd: 0, balance };
}

/** What was used since the last charge, whatever it was used for: failed calls too. Null for nothing. */
export function dueCharge(
  { perUsd, perTurn, perThousandTokens }: CreditTerms,
  { usage, turns }: Total,
  charged: Charged,
): { due: { credits: number; tokens: number }; upTo: Omit<Charged, 'balance'> } | null {
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
