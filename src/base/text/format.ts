/** Formats figures and texts for people. */

import { preview } from './preview.js';

/** Formats as `340 ms`, `3.2 s`, `4 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}

/** `1,204`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 task`, `2 tasks`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `planner, executor or verifier`. */
export function anyOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** `$0.0123`, or `cost unknown`. */
export function formatCost(costUsd: number | null): string {
  return costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`;
}

/** Formats the time since the start of a run: `0:07`, `12:40`, `1:02:03`. */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  const tail = two(seconds % 60);
  return minutes < 60 ? `${minutes}:${tail}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${tail}`;
}

/** Returns a call's arguments on one line for people; a long list is reduced to its first text and the number of others. */
export function argumentsLine(json: string): string {
  return preview(json).replace(/\[[^\]]{50,}(\]|$)/g, list => {
    const [, first] = /^\[\s*("(?:[^"\\]|\\.)*")/.exec(list) ?? [];
    if (first === undefined) return '[…]';
    const texts = list.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
    const more = list.endsWith(']') ? `… ${texts.length - 1} more]` : '…';
    return texts.length === 1 && list.endsWith(']') ? list : `[${first}, ${more}`;
  });
}
