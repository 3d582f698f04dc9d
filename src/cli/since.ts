/** Moments and lengths of time as words of the command line. Pure. */

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `30m`, `2h`, `3d`, `1w` before `now`, or a date with or without a time, local unless it says else; null for others. */
export function readSince(words: string, now: number): Date | null {
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(words) ?? [];
  if (count !== undefined) return new Date(now - Number(count) * (UNIT_MS[unit] ?? 0));
  if (!/^\d{4}-\d\d-\d\d(?:[T ]|$)/.test(words)) return null;
  // A date alone would be midnight in Greenwich.
  const moment = new Date(words.length === 10 ? `${words} 00:00` : words);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** Seconds of `90s`, `30m`, `6h`, `2d` or `1w`; null for anything else. */
export function secondsOf(words: string): number | null {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(words) ?? [];
  return count === '' ? null : (Number(count) * (UNIT_MS[unit] ?? 0)) / 1_000;
}
