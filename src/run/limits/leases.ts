/** Leases limit what sub-agents may use of their caller's goal: together they never exceed what is left. */
import { type BudgetKind, type BudgetUse, type Limits, turnsLeft } from './limits.js';

export type Lease = Partial<Limits>;

/** Returns an agent's share of what the goal has left; time is not divided. No budget may be used up yet. */
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

/** Adds to the usage what others at work may still use: agents their leases, model calls one turn each. */
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

/** A goal's limits before and after a change, and its usage, without the leases of its agents at work. */
export interface Change {
  from: Limits;
  to: Limits;
  used: BudgetUse;
}

/** Returns the leases that change after limits or usage changed: each agent keeps its share of what is left. */
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
      // An agent counts time from its own beginning, and time passes for all agents at once.
      wallTimeMs: Math.max(0, wallTimeMs + moreMs),
      costUsd: costUsd[index] ?? null,
    };
    const news = Object.entries(part).filter(([name, value]) => value !== lease[name as BudgetKind]);
    return [id, Object.fromEntries(news)];
  });
  return new Map(changed.filter(([, lease]) => Object.keys(lease).length > 0));
}

type Left = (limits: Limits, used: BudgetUse) => number | null;

/** Null: unlimited; if the cost is unknown, the rest is 0. */
const costLeft: Left = (limits, used) =>
  limits.costUsd === null ? null : limits.costUsd - (used.costUsd ?? limits.costUsd);

/** Returns each agent's part of a budget after the change; null: unlimited. */
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
    // An agent without a limit, or all agents if none has a share, get equal parts.
    if (part === null || sum === 0) return after / leases.length;
    return whole === after ? part : (part * after) / whole;
  });
}
