import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Lease, leaseOf, leasesAfter, withOthers } from '../../../../src/run/limits/leases.js';
import { type BudgetUse, DEFAULT_LIMITS, type Limits } from '../../../../src/run/limits/limits.js';

const NOTHING: BudgetUse = { turns: 0, totalTurns: 0, tokens: 0, wallTimeMs: 0, costUsd: 0 };
const BEFORE: Limits = { ...DEFAULT_LIMITS, turns: 100, totalTurns: 100, tokens: 1_000, costUsd: 10 };

/** Two agents that share what was left, each half of it. */
function newLeases(to: Partial<Limits>, used: Partial<BudgetUse> = {}, from: Partial<Limits> = {}) {
  const before = { ...BEFORE, ...from };
  const leases = new Map(['a', 'b'].map(id => [id, leaseOf(before, NOTHING, 2)]));
  const changed = leasesAfter(leases, {
    from: before,
    to: { ...before, ...to },
    used: { ...NOTHING, ...used },
  });
  return [changed.get('a'), changed.get('b')];
}

describe('leasesAfter', () => {
  test.each<[string, ReturnType<typeof newLeases>, Lease | undefined]>([
    ['nothing changed → nobody has another', newLeases({}), undefined],
    ['tokens lowered → each has its share of what is left', newLeases({ tokens: 600 }), { tokens: 300 }],
    ['below what was used beside them → nothing', newLeases({ tokens: 600 }, { tokens: 700 }), { tokens: 0 }],
    ['tokens raised → each has its share of that, too', newLeases({ tokens: 3_000 }), { tokens: 1_500 }],
    ['turns lowered → of both kinds', newLeases({ turns: 50 }), { turns: 25, totalTurns: 25 }],
    ['turns raised, and not those of the run → as before', newLeases({ turns: 500 }), undefined],
    ['cost lowered → its share', newLeases({ costUsd: 4 }, { costUsd: 1 }), { costUsd: 1.5 }],
    ['no limit of cost any more → none', newLeases({ costUsd: null }), { costUsd: null }],
    [
      'a limit of cost where none was → equal parts',
      newLeases({ costUsd: 4 }, {}, { costUsd: null }),
      { costUsd: 2 },
    ],
    ['a cost that is not known → nothing', newLeases({ costUsd: 4 }, { costUsd: null }), { costUsd: 0 }],
    ['time lowered → so much less for each', newLeases({ wallTimeMs: 600_000 }), { wallTimeMs: 600_000 }],
    ['more used than was left beside them → less', newLeases({}, { tokens: 200 }), { tokens: 400 }],
  ])('%s', (_title, leases, expected) => {
    expect(leases).toEqual([expected, expected]);
  });

  test('any leases, limits and use → together no more than is left', () => {
    const amount = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(
        fc.array(amount, { minLength: 1, maxLength: 9 }),
        amount,
        amount,
        amount,
        (own, from, to, used) => {
          const leases = new Map<string, Lease>(
            own.map((tokens, index) => [
              `${index}`,
              { tokens, turns: tokens, totalTurns: tokens, wallTimeMs: 1, costUsd: tokens / 7 },
            ]),
          );
          const limits = (all: number) => ({
            ...DEFAULT_LIMITS,
            ...{ tokens: all, turns: all, totalTurns: all, costUsd: all },
          });
          const use = { ...NOTHING, ...{ tokens: used, turns: used, totalTurns: used, costUsd: used } };
          const changed = leasesAfter(leases, { from: limits(from), to: limits(to), used: use });
          const left = Math.max(0, to - used);
          for (const kind of ['tokens', 'turns', 'totalTurns', 'costUsd'] as const) {
            const parts = [...leases].map(([id, lease]) => changed.get(id)?.[kind] ?? lease[kind] ?? 0);
            expect(parts.reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(left + 1e-6);
          }
        },
      ),
    );
  });
});

test('withOthers: agents and model calls at work → what they may still use; what an agent has no limit of adds nothing', () => {
  const leases = [{}, { turns: 1, totalTurns: 2, tokens: 5, costUsd: 3 }];
  const used = { ...NOTHING, turns: 4, totalTurns: 5, tokens: 5, costUsd: 3 };
  expect(withOthers(NOTHING, { leases, modelCalls: 3 })).toEqual(used);
  expect(withOthers({ ...NOTHING, costUsd: null }, { leases, modelCalls: 0 }).costUsd).toBeNull();
});
