/** `@steersman/cli`: the command line. */

export { strict } from '@steersman/print';
export { addVerbs, WHERE } from './all.js';
export { runCommandLine } from './command/command.js';
export { addCompletion } from './setup/completion.js';
export { addRun } from './verbs/run.js';
