/** `@steersman/cli`: the command line. */

export { addVerbs, WHERE } from './all.js';
export { runCommandLine, strict } from './command/command.js';
export { addCompletion } from './setup/completion.js';
export { addRun } from './verbs/run.js';
