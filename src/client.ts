/** `npm run client -- <verb>`: starts, watches, steers and ends runs. */

import { addVerbs, runCommandLine, strict, WHERE } from '@steersman/cli';
import { Command } from 'commander';
import { PROGRAM } from './shared/process/called-as.js';

const program = strict(new Command(PROGRAM.verbs))
  .description('Starts, watches, steers and ends runs of Steersman.')
  .addHelpText('after', WHERE);
await runCommandLine(addVerbs(program));
