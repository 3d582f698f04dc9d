/** What sub-agents may use of their caller's goal: each has its lease, and together they never have more than is left. */
import { type BudgetKind, type BudgetUse, type Limits, turnsLeft } from './limits.js';

export type Lease = Partial<Limits>;

/** What an agent may use: its part of what the goal has left. Time passes for all at once. Nothing may be used up yet. */
export function leaseOf(limits: Limits, used: BudgetUse, together = 1): Lease {
  const left = (kind: Exclude<BudgetKind, 'costUsd'>) => limits[kind] - used[kind];
  const part = (amount: number) => Math.max(1, Math.floor(amount / together));
  const turns = part(turnsLeft(limits, used));
  return {
    turns,
    totalTurns: turns,
    tokens: part(left('tokens')),
    wallTimeMs: Math.max(1, Math.floor(left('wallTimeMs'))),
    costUsd: limits.costUsd === null ? null : (limits.costUsd - (used.costUsd ?? 0)) / together,
  };
}

/** What is used, with what others at work may use yet: agents their leases, model calls a turn each. */
export function withOthers(
  used: BudgetUse,
  { leases, modelCalls }: { leases: Iterable<Lease>; modelCalls: number },
): BudgetUse {
  let { turns, totalTurns, tokens, costUsd } = used;
  turns += modelCalls;
  totalTurns += modelCalls;
  for (const lease of leases) {
    turns += lease.turns ?? 0;
    totalTurns += lease.totalTurns ?? 0;
    tokens += lease.tokens ?? 0;
    if (costUsd !== null) costUsd += lease.costUsd ?? 0;
  }
  return { ...used, turns, totalTurns, tokens, costUsd };
}

/** The limits of a goal before and after a change, and what it has used, without what its agents at work have. */
export interface Change {
  from: Limits;
  to: Limits;
  used: BudgetUse;
}

/** The leases that change when limits have, or use has: each agent keeps its share of what is left. */
export function leasesAfter(leases: ReadonlyMap<string, Lease>, change: Change): Map<string, Lease> {
  const all = [...leases.values()];
  const turns = parts(all, 'turns', change, turnsLeft);
  const tokens = parts(all, 'tokens', change, (limits, used) => limits.tokens - used.tokens);
  const costUsd = parts(all, 'costUsd', change, costLeft);
  const moreMs = change.to.wallTimeMs - change.from.wallTimeMs;
  const changed = [...leases].map(([id, lease], index): [string, Lease] => {
    const { wallTimeMs = 0 } = lease;
    const part: Lease = {
      turns: Math.floor(turns[index] ?? 0),
      totalTurns: Math.floor(turns[index] ?? 0),
      tokens: Math.floor(tokens[index] ?? 0),
      // An agent counts its time from its beginning, and it passes for all of them at once.
      wallTimeMs: Math.max(0, wallTimeMs + moreMs),
      costUsd: costUsd[index] ?? null,
    };
    const news = Object.entries(part).filter(([name, value]) => value !== lease[name as BudgetKind]);
    return [id, Object.fromEntries(news)];
  });
  return new Map(changed.filter(([, lease]) => Object.keys(lease).length > 0));
}

type Left = (limits: Limits, used: BudgetUse) => number | null;

/** Null for no limit; of a cost that is not known nothing is left. */
const costLeft: Left = (limits, used) =>
  limits.costUsd === null ? null : limits.costUsd - (used.costUsd ?? limits.costUsd);

/** What each has of a budget then; null for no limit. */
function parts(
  leases: readonly Lease[],
  kind: 'turns' | 'tokens' | 'costUsd',
  { from, to, used }: Change,
  leftOf: Left,
): (number | null)[] {
  const left = leftOf(to, used);
  if (left === null) return leases.map(() => null);
  const after = Math.max(0, left);
  const own = leases.map(lease => lease[kind] ?? null);
  const sum = own.reduce<number>((all, part) => all + (part ?? 0), 0);
  const whole = Math.max(leftOf(from, used) ?? 0, sum);
  return own.map(part => {
    // Who had no limit, or nothing, has an equal part.
    if (part === null || sum === 0) return after / leases.length;
    return whole === after ? part : (part * after) / whole;
  });
}
