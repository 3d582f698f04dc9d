/** The differences between two texts. Pure. */
import { diffLines } from 'diff';

/** The cost grows with the square of the differences: above this limit both texts are shown completely. */
const MOST_EDITS = 1_000;

/** Returns the differences between two texts, with up to three common lines around each. */
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
