/** Chooses the model before each call (M4), by a table of rows that a run pins. */

import type { ModelFailureType } from '../limits/failure.js';
import type { BudgetKind, BudgetUse, Limits } from '../limits/limits.js';
import type { StopReason } from '../messages/message.js';
import type { ModeName } from '../position/modes.js';
import type { Phase } from '../position/position.js';

/** Used shares of the goal's budgets: 0 without a limit, 1 if a limited cost is unknown. */
export type BudgetShares = Record<Exclude<BudgetKind, 'totalTurns'>, number>;

export interface ModelSituation {
  role: string;
  mode: ModeName;
  phase: Phase;
  /** The round of the call at its position, from 1. */
  round: number;
  /** The number of the call's reply in the run, from 1. */
  turn: number;
  used: BudgetShares;
  /** How the role's last reply in this goal ended; null before the first. */
  lastStop: StopReason | null;
  /** The type of the role's last model failure in this goal, such as `model.rate_limited`; null without one. */
  lastFailure: ModelFailureType | null;
  inputTokens: number;
  /** The account's balance after its last charge; null without an account. */
  credits: number | null;
}

/** All conditions that are set must hold. */
export interface RowConditions {
  role?: string;
  mode?: ModeName;
  phase?: Phase;
  roundFrom?: number;
  turnFrom?: number;
  /** The share of any budget, or of each named one. */
  budgetFrom?: number | Partial<BudgetShares>;
  lastStop?: StopReason;
  lastFailure?: ModelFailureType;
  inputTokensFrom?: number;
  creditsBelow?: number;
}

export interface ResolverRow {
  when: RowConditions;
  /** Models in order of preference. Empty if a cost limit excludes all of them: the row is then skipped. */
  use: string[];
}

type Holds<K extends keyof RowConditions> = (
  wanted: NonNullable<RowConditions[K]>,
  situation: ModelSituation,
) => boolean;

const HOLDS: { readonly [K in keyof Required<RowConditions>]: Holds<K> } = {
  role: (wanted, { role }) => role === wanted,
  mode: (wanted, { mode }) => mode === wanted,
  phase: (wanted, { phase }) => phase === wanted,
  roundFrom: (from, { round }) => round >= from,
  turnFrom: (from, { turn }) => turn >= from,
  budgetFrom: (from, { used }) =>
    typeof from === 'number'
      ? Object.values(used).some(share => share >= from)
      : Object.entries(from).every(([name, share]) => used[name as keyof BudgetShares] >= share),
  lastStop: (wanted, { lastStop }) => lastStop === wanted,
  lastFailure: (wanted, { lastFailure }) => lastFailure === wanted,
  inputTokensFrom: (from, { inputTokens }) => inputTokens >= from,
  creditsBelow: (limit, { credits }) => credits !== null && credits < limit,
};

export function resolveModel(rows: readonly ResolverRow[], situation: ModelSituation): number | null {
  const index = rows.findIndex(({ when, use }) => {
    const conditions = Object.keys(when) as (keyof RowConditions)[];
    return use.length > 0 && conditions.every(name => holds(name, when, situation));
  });
  return index < 0 ? null : index;
}

function holds<K extends keyof RowConditions>(name: K, when: RowConditions, situation: ModelSituation) {
  const wanted = when[name];
  return wanted === undefined || HOLDS[name](wanted, situation);
}

export function budgetShares(limits: Limits, used: BudgetUse): BudgetShares {
  const share = (limit: number | null, value: number | null) =>
    limit === null ? 0 : value === null ? 1 : value / limit;
  return {
    tokens: share(limits.tokens, used.tokens),
    costUsd: share(limits.costUsd, used.costUsd),
    wallTimeMs: share(limits.wallTimeMs, used.wallTimeMs),
    turns: share(limits.turns, used.turns),
  };
}

export function rowWords(rows: readonly ResolverRow[], index: number): string {
  const conditions = Object.entries(rows[index]?.when ?? {}).map(
    ([name, wanted]) => `${name} ${typeof wanted === 'object' ? JSON.stringify(wanted) : wanted}`,
  );
  return `models.resolver, row ${index + 1}: ${conditions.join(', ') || 'always'}`;
}
