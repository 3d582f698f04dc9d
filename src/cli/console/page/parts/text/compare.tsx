/** What differs between two texts, drawn: a part of its own, for few ask for it. */
import { diffLines } from 'diff';
import { Diff } from './diff.js';

export function Compare({ before, after }: { before: string; after: string }) {
  return <Diff text={compared(before, after)} />;
}

/** What differs between two texts; what they share is left out but for the lines around it. */
function compared(before: string, after: string): string {
  return diffLines(before, after)
    .flatMap(({ value, added, removed }) => {
      const lines = value.replace(/\n$/, '').split('\n');
      if (added || removed) return lines.map(line => (added ? '+' : '-') + line);
      const shown = lines.length > 6 ? [...lines.slice(0, 3), '…', ...lines.slice(-3)] : lines;
      return shown.map(line => (line === '…' ? line : ` ${line}`));
    })
    .join('\n');
}
