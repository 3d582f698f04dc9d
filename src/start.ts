/** `npm start -- "<goal>"`: starts what is needed, runs the goal and shows it. */

import { addRun, runCommandLine, strict } from '@steersman/cli';
import { Command } from 'commander';
import { PROGRAM } from './shared/process/called-as.js';

await runCommandLine(addRun(strict(new Command(PROGRAM.start))));
