/** The answer of an ended run: on stdout, with how it ended on stderr. */

import type { RunEnd } from '../client/runs/run-end.js';
import { endLine } from './end-lines.js';
import type { Output } from './output.js';
import { terminalText } from './terminal-text.js';

export function printAnswer(output: Output, end: RunEnd): void {
  if (end.outcome !== 'completed') output.notes.line(endLine(end));
  if (end.result?.answer) output.out.line(terminalText(end.result.answer));
}
