/** `npm start -- "<goal>"`: starts what is needed, runs the goal and shows it. */

import { addRun, addVerbs, runCommandLine, strict } from '@steersman/cli';
import { refuseMisspelt } from '@steersman/print';
import { Command } from 'commander';
import { PROGRAM } from './shared/process/called-as.js';

const program = strict(new Command(PROGRAM.start));
await runCommandLine(refuseMisspelt(addRun(program), addVerbs(new Command())));
