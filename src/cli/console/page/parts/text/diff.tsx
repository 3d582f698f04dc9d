/** What a call changes, line by line: by what its own arguments say. */
import { editText } from '../../../../../core/gates/gate-text.js';
import { shownDiff, wholeWrite } from '../../../../../core/gates/whole-write.js';
import { escapeUnseen } from '../../../../../core/text/unseen.js';

/** Lines with `-`, `+` or a blank; null for a call that writes no text. */
export function changeOf(input: unknown): string | null {
  const edit = editText(input);
  if (edit !== null) return edit;
  const write = wholeWrite(input);
  return write && shownDiff(write.content.replace(/^/gm, '+'));
}

/** So many stand in a colour of their own; the rest is one text. */
export const MOST_LINES = 2_000;

export function diffLinesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), lines.slice(MOST_LINES - 1).join('\n')];
}

export function Diff({ text }: { text: string }) {
  return (
    <pre class="diff">
      <code>
        {diffLinesOf(escapeUnseen(text)).map((line, at) => (
          <span
            key={at}
            class={line.startsWith('+') ? 'line come' : line.startsWith('-') ? 'line gone' : 'line'}
          >
            {`${line}\n`}
          </span>
        ))}
      </code>
    </pre>
  );
}
