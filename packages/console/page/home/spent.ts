/** The costs of runs, by day and by model or outcome, for plots. Pure. */
import type { SpentRun } from 'steersman/client';

export type SpentBy = 'model' | 'outcome';
/** The figure that is plotted. */
export type SpentWhat = 'cost' | 'tokens';

export interface SpentSeries {
  name: string;
  /** One value for each day. */
  values: number[];
  total: number;
}

export interface Spent {
  /** The beginning of each day, in seconds since the epoch, as plots take it. */
  days: number[];
  /** The largest first. */
  series: SpentSeries[];
  total: number;
  /** Number of runs with a model whose price is unknown. */
  unpriced: number;
}

/** Further names are joined. */
const MOST_SERIES = 5;
export const OTHERS = '…';

interface Part {
  at: number;
  name: string;
  value: number;
}

/** Returns the figures of the last `days` days up to `now`, in the browser's time zone. */
export function spentByDay(
  runs: readonly SpentRun[],
  { by, what, days, now }: { by: SpentBy; what: SpentWhat; days: number; now: number },
): Spent {
  const begins = Array.from({ length: days }, (_, at) => dayBefore(now, days - 1 - at));
  const parts = runs.flatMap(run => partsOf(run, by, what));
  const totals = new Map<string, number>();
  for (const { name, value } of parts) totals.set(name, (totals.get(name) ?? 0) + value);
  const names = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const own = new Set(names.slice(0, MOST_SERIES));
  const shown = names.length > MOST_SERIES ? [...own, OTHERS] : [...own];
  const series = shown.map(name => {
    const values = begins.map(() => 0);
    for (const part of parts) {
      if ((own.has(part.name) ? part.name : OTHERS) !== name) continue;
      const at = begins.findLastIndex(begin => begin <= part.at);
      if (at >= 0) values[at] = (values[at] ?? 0) + part.value;
    }
    return { name, values, total: values.reduce((sum, value) => sum + value, 0) };
  });
  return {
    days: begins.map(begin => begin / 1_000),
    series,
    total: series.reduce((sum, each) => sum + each.total, 0),
    unpriced: runs.filter(({ usage }) => usage.costUsd === null).length,
  };
}

function dayBefore(now: number, days: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
}

function partsOf({ startedAt: at, outcome, usage, usageBy }: SpentRun, by: SpentBy, what: SpentWhat): Part[] {
  if (by === 'outcome' || usageBy.length === 0)
    return [{ at, name: by === 'outcome' ? (outcome ?? 'open') : 'unknown', value: figureOf(usage, what) }];
  return usageBy.map(entry => ({ at, name: entry.model, value: figureOf(entry, what) }));
}

/** An unknown cost counts as zero; the number of runs with an unknown cost is shown. */
function figureOf(
  usage: { inputTokens?: number; outputTokens?: number; costUsd?: number | null },
  what: SpentWhat,
): number {
  return what === 'cost' ? (usage.costUsd ?? 0) : (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}

/** Returns the values as heights of stacked bars, the whole first, so that each is drawn over the one before it. */
export function stacked(series: readonly SpentSeries[]): number[][] {
  const heights: number[][] = [];
  let below: number[] = [];
  for (const { values } of series) {
    below = values.map((value, at) => value + (below[at] ?? 0));
    heights.unshift(below);
  }
  return heights;
}
