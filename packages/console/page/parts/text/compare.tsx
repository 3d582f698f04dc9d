/** What differs between two texts, drawn: a part of its own, for few ask for it. */
import { diffLines } from 'diff';
import { Diff } from './diff.js';

export function Compare({ before, after }: { before: string; after: string }) {
  return <Diff text={compared(before, after)} />;
}

/** Differences cost their square: beyond so many lines the whole of both is shown. */
const MOST_EDITS = 1_000;

/** What differs between two texts; what they share is left out but for the lines around it. */
export function compared(before: string, after: string): string {
  const changes = diffLines(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return changes
    .flatMap(({ value, added, removed }) => {
      const lines = value.replace(/\n$/, '').split('\n');
      if (added || removed) return lines.map(line => (added ? '+' : '-') + line);
      const shown = lines.length > 6 ? [...lines.slice(0, 3), '…', ...lines.slice(-3)] : lines;
      return shown.map(line => (line === '…' ? line : ` ${line}`));
    })
    .join('\n');
}
