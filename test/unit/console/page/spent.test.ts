/** What runs have cost, by day. */
import { describe, expect, it } from 'vitest';
import { spentByDay, stacked } from '../../../../packages/console/page/home/spent.js';
import type { SpentRun } from '../../../../src/client/index.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';

const NOW = new Date(2026, 0, 10, 12).getTime();
const day = (back: number) => new Date(2026, 0, 10 - back, 9).getTime();

function run(at: number, costUsd: number | null, more: Partial<SpentRun> = {}): SpentRun {
  const usage = { ...NO_USAGE, inputTokens: 100, outputTokens: 10, costUsd };
  return { id: `r${at}`, startedAt: at, outcome: 'completed', usage, usageBy: [], ...more };
}

const asked = { by: 'outcome', what: 'cost', days: 3, now: NOW } as const;

describe('FC7 what runs have cost', () => {
  it('each run → on the day of its start; what began before counts in no day', () => {
    const { days, series, total } = spentByDay([run(day(0), 2), run(day(2), 1), run(day(9), 5)], asked);
    expect(days).toHaveLength(3);
    expect(series).toEqual([{ name: 'completed', values: [1, 0, 2], total: 3 }]);
    expect(total).toBe(3);
  });

  it('by outcome → the dearest first; open runs too', () => {
    const usageBy = [{ role: 'planner', model: 'a/b', calls: 1, costUsd: 4 }];
    const { series } = spentByDay([run(day(0), 1), run(day(0), 4, { outcome: null, usageBy })], asked);
    expect(series.map(({ name, total }) => [name, total])).toEqual([
      ['open', 4],
      ['completed', 1],
    ]);
  });

  it('by model → each with its part of a run', () => {
    const usageBy = [
      { role: 'planner', model: 'a/b', calls: 1, costUsd: 1 },
      { role: 'executor', model: 'c/d', calls: 1, costUsd: 2 },
    ];
    const { series } = spentByDay([run(day(1), 3, { usageBy })], { ...asked, by: 'model' });
    expect(series.map(({ name, total }) => [name, total])).toEqual([
      ['c/d', 2],
      ['a/b', 1],
    ]);
  });

  it('a price that is unknown → counts as nothing, and is told', () => {
    expect(spentByDay([run(day(0), null)], asked)).toMatchObject({ total: 0, unpriced: 1 });
    expect(spentByDay([run(day(0), null)], { ...asked, what: 'tokens' })).toMatchObject({ total: 110 });
  });

  it('more names than colours → the smallest are joined', () => {
    const usageBy = Array.from({ length: 8 }, (_, at) => ({
      role: 'r',
      model: `m/${at}`,
      calls: 1,
      costUsd: 8 - at,
    }));
    const { series, total } = spentByDay([run(day(0), 36, { usageBy })], { ...asked, by: 'model' });
    expect(series.map(({ name }) => name)).toEqual(['m/0', 'm/1', 'm/2', 'm/3', 'm/4', '…']);
    expect(total).toBe(36);
  });

  it('stacked bars → the whole first', () => {
    const series = [
      { name: 'a', values: [1, 0], total: 1 },
      { name: 'b', values: [2, 3], total: 5 },
    ];
    expect(stacked(series)).toEqual([
      [3, 3],
      [1, 0],
    ]);
  });
});
