/** `npm start -- "<goal>"`: all in one. */
import { Command } from 'commander';
import { PROGRAM } from './called-as.js';
import { runCommandLine, strict } from './client/verbs/command.js';
import { addRun } from './client/verbs/run.js';

await runCommandLine(addRun(strict(new Command(PROGRAM.start))));
