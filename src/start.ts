/** `npm start -- "<goal>"`: all in one. */
import { Command } from 'commander';
import { runCommandLine, strict } from './cli/command.js';
import { addRun } from './cli/verbs/run.js';
import { PROGRAM } from './shared/called-as.js';

await runCommandLine(addRun(strict(new Command(PROGRAM.start))));
