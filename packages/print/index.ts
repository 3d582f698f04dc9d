/** `@steersman/print`: formats runs as lines of text. */

export {
  definedOptions,
  notEmpty,
  numberUpTo,
  portNumber,
  positiveInteger,
  readJson,
  readLimits,
  readSince,
  secondsOf,
  userPath,
} from './commands/arguments.js';
export { EXIT, exitCodeOf, exitCodeOfError } from './commands/exit-codes.js';
export { addProgram, refuseMisplaced, refuseMisspelt, remedyOf, tellCalls } from './commands/refuse.js';
export { exitCodeOfFault, isPrinted, strict } from './commands/strict.js';
export { endLine, goalEndLine, printAnswer, printEnd, resultLine } from './end-lines.js';
export {
  branchLine,
  eventLines,
  eventText,
  isPrintedOfChild,
  traceLines,
  whoseLine,
} from './event-lines.js';
export { atDeadline } from './gate-help.js';
export { gatePartLines } from './gate-lines.js';
export { columnLines, fitLine, longLines, padId, padText, widthOf, wrapText } from './layout.js';
export { markdownLines } from './markdown.js';
export { LineClock, PlainView, showEvents } from './plain-view.js';
export { taskLine } from './plan-lines.js';
export { artifactLine, printRun, waitReporter } from './show-run.js';
export { belowHeading, toolExchange, transcriptMarkdown } from './transcript.js';
