/** What the account of a run is charged, and when it may use no more. */
import type { Usage } from '../state/message.js';
import { budgetTokens } from './budget-tokens.js';
import { type UsageEntry, usageOf } from './usage-by.js';

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
  /** That nobody has confirmed: they may have been taken, so they are sent again with their own keys. */
  open: KeyedCharge[];
}

/** Taken once for its key. */
export interface KeyedCharge {
  key: string;
  credits: number;
  tokens: number;
}

interface Total {
  usage: Usage;
  turns: number;
  usageBy: readonly UsageEntry[];
}

export function newCharged({ balance }: CreditTerms): Charged {
  return { turns: 0, tokens: 0, costUsd: 0, balance, open: [] };
}

/** What was used since the last charge, whatever it was used for: failed calls too. Null for nothing. */
export function dueCharge(
  { perUsd, perTurn, perThousandTokens }: CreditTerms,
  total: Total,
  charged: Charged,
): { due: Omit<KeyedCharge, 'key'>; upTo: Pick<Charged, 'turns' | 'tokens' | 'costUsd'> } | null {
  const { usage, turns } = total;
  const upTo = {
    turns,
    tokens: budgetTokens(usage),
    costUsd: Math.max(charged.costUsd, knownCost(total)),
  };
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
