/** The list of choices in rows of the screen. Pure. */

import type { Colors } from '../../../shared/output.js';
import { fitLine, padText, widthOf } from '../../print/layout.js';
import type { Menu } from '../input/talk-state.js';

const MOST_TEXT_COLUMNS = 40;

/** At most `most` rows of at most `width` columns round the marked choice, and how many there are beside them. */
export function menuRows(
  { completion, at }: Menu,
  width: number,
  most: number,
  { bold, dim }: Colors,
): string[] {
  const { choices } = completion;
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), choices.length - most));
  const shown = choices.slice(first, first + most);
  const column = Math.min(MOST_TEXT_COLUMNS, Math.max(...shown.map(({ text }) => widthOf(text.trimEnd()))));
  const hidden = choices.length - shown.length;
  return shown.map(({ text, note }, index) => {
    const marked = first + index === at;
    const more = index === shown.length - 1 && hidden > 0 ? ` (${hidden} more)` : '';
    const name = padText(text.trimEnd(), note === '' ? 0 : column);
    const line = fitLine(
      `${marked ? '›' : ' '} ${name}${note === '' ? '' : `  ${note}`}`,
      width - more.length,
    );
    return `${marked ? bold(line) : line}${dim(more)}`;
  });
}
