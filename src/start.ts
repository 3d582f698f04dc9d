/** `npm start -- "<goal>"`: all in one. */
import { Command } from 'commander';
import { runCommandLine, strict } from './client/verbs/command.js';
import { addRun } from './client/verbs/run.js';
import { PROGRAM } from './shared/called-as.js';

await runCommandLine(addRun(strict(new Command(PROGRAM.start))));
