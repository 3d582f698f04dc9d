/** The answer of an ended run: on stdout, with how it ended on stderr. */

import type { Output } from './output.js';
import type { RunEnd } from './run-end.js';
import { endLine } from './run-end.js';
import { terminalText } from './terminal-text.js';

export function printAnswer(output: Output, end: RunEnd): void {
  if (end.outcome !== 'completed') output.notes.line(endLine(end));
  if (end.result?.answer) output.out.line(terminalText(end.result.answer));
}
