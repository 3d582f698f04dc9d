/** Shows the lines that a call changes, according to its arguments. */

import { linesOf } from '@steersman/components';
import { escapeDiff } from 'steersman/base';
import { codeText, editText, shownDiff, wholeWrite } from 'steersman/rules';
import { t } from '../../words/words.js';

/** Returns lines that begin with `-`, `+` or a blank; null for a call that writes no text. */
export function changeOf(input: unknown): string | null {
  const edit = editText(input);
  if (edit !== null) return edit;
  const write = wholeWrite(input);
  return write && shownDiff(allNew(write.content));
}

/** Marks every line of a text as added. */
export function allNew(text: string): string {
  return text.replace(/\n$/, '').replace(/^/gm, '+');
}

export function Diff({ text }: { text: string }) {
  const lines = linesOf(codeText({ language: 'diff', text: escapeDiff(text) }, t('newText')));
  return (
    <pre class="diff">
      <code>
        {lines.map((line, at) => (
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
