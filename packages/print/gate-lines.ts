/** Lays a gate out in the columns of a terminal: texts unchanged, the run's own blocks as code. Pure. */

import type { GatePart } from 'steersman/rules';
import { codeText, OPTIONS } from 'steersman/rules';
import { optionLine } from 'steersman/run';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { longLines } from './layout.js';

interface Page {
  width: number;
  colors: Colors;
}

/** Returns lines of at most `width` columns. Foreign texts have a bar in front of each line, or stay within one line. */
export function gatePartLines(parts: readonly GatePart[], page: Page): string[] {
  return parts.flatMap((part, at) => [...(at === 0 ? [] : ['']), ...linesOf(part, page)]);
}

function linesOf(part: GatePart, { width, colors }: Page): string[] {
  switch (part.kind) {
    case 'text':
      return terminalText(part.text)
        .split('\n')
        .flatMap(line => hanging(line, width));
    case 'said':
      return longLines(terminalText(part.text), width - 2).map(line =>
        `${colors.dim('│')} ${line}`.trimEnd(),
      );
    case 'code':
      return longLines(terminalText(codeText(part)), width - 2).map(line => `  ${colors.cyan(line)}`);
    case 'options':
      return [
        colors.bold(OPTIONS),
        ...part.options.flatMap((option, at) => hanging(terminalText(optionLine(option, at)), width)),
      ];
  }
}

/** Continuation lines are indented, so that they can't look like lines of the run. */
function hanging(line: string, width: number): string[] {
  const [blanks = ''] = /^ */.exec(line) ?? [];
  const hang = `${blanks.slice(0, 4)}  `;
  return longLines(line, width - hang.length).map((row, at) => (at === 0 ? row : `${hang}${row}`));
}
