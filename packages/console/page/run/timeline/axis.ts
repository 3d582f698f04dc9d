/** The axis of a timeline: proportional to time, or with long waits shortened. Pure. */
import type { Lane, Timeline } from './bars.js';

/** A part of the axis. */
export interface Span {
  from: number;
  to: number;
  /** Length on the axis in milliseconds; if the part is shortened, less than its duration. */
  shown: number;
}

/** A wait is shortened if it takes more than this part of all work, and more than this time. */
const LONG_PART = 0.2;
const LONG_MS = 5_000;
const SHORTENED_PART = 0.06;
/** The tool call that runs a sub-agent is not separate work: the sub-agent has bars for the same time. */
const CALLS_AGENT = 'call_subagent';

/** Returns the consecutive parts of the axis. `shorten`: periods in which everything waits take little room. */
export function spansOf({ from, to, lanes }: Timeline, shorten: boolean): Span[] {
  const work = shorten ? workOf(lanes, to) : [];
  const all = work.reduce((sum, each) => sum + each.to - each.from, 0);
  const long = Math.max(LONG_MS, all * LONG_PART);
  const spans: Span[] = [];
  let begun = from;
  let last = from;
  for (const next of [...work, { from: to, to }]) {
    if (all > 0 && next.from - last > long) {
      if (last > begun) spans.push({ from: begun, to: last, shown: last - begun });
      spans.push({ from: last, to: next.from, shown: all * SHORTENED_PART });
      begun = next.from;
    }
    last = Math.max(last, next.to);
  }
  return begun < to ? [...spans, { from: begun, to, shown: to - begun }] : spans;
}

/** Returns the periods of model and tool calls in order, with overlaps merged. */
function workOf(lanes: readonly Lane[], end: number): { from: number; to: number }[] {
  const bars = lanes.flatMap(({ rows }) => rows.flatMap(row => row.bars));
  const work = bars
    .filter(({ kind, name }) => kind === 'turn' || (kind === 'tool' && name !== CALLS_AGENT))
    .map(bar => ({ from: bar.from, to: bar.to ?? end }))
    .sort((one, other) => one.from - other.from);
  const merged: { from: number; to: number }[] = [];
  for (const each of work) {
    const before = merged.at(-1);
    if (before && each.from <= before.to) before.to = Math.max(before.to, each.to);
    else merged.push(each);
  }
  return merged;
}

/** Returns the position of a time on the axis, from 0 to 1. */
export function positionAt(spans: readonly Span[], at: number): number {
  const all = spans.reduce((sum, { shown }) => sum + shown, 0);
  let before = 0;
  for (const { from, to, shown } of spans) {
    if (at <= to) return (before + (shown * Math.max(0, at - from)) / (to - from)) / all;
    before += shown;
  }
  return 1;
}

/** Returns the times of about `most` lines, at round times since the beginning; shortened parts have no lines. */
export function ticksIn(spans: readonly Span[], most: number): number[] {
  const begin = spans[0]?.from ?? 0;
  const step = tickStep(
    spans.reduce((sum, { shown }) => sum + shown, 0),
    most,
  );
  return spans.flatMap(({ from, to, shown }) => {
    if (shown < to - from) return [];
    const first = Math.ceil((from - begin) / step);
    const count = Math.floor((to - begin) / step) - first + 1;
    return Array.from({ length: Math.max(0, count) }, (_, at) => begin + (first + at) * step);
  });
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
const DAY_MS = 86_400_000;

function tickStep(spanMs: number, most: number): number {
  const seconds = STEPS.find(each => spanMs / (each * 1_000) <= most);
  return seconds === undefined ? Math.ceil(spanMs / DAY_MS / most) * DAY_MS : seconds * 1_000;
}
