/** `npm run client -- <verb>`: starts, watches, steers and ends runs. */
import { Command } from 'commander';
import { addVerbs, WHERE } from './cli/all.js';
import { runCommandLine, strict } from './cli/command.js';
import { PROGRAM } from './shared/called-as.js';

const program = strict(new Command(PROGRAM.verbs))
  .description('Starts, watches, steers and ends runs of Steersman.')
  .addHelpText('after', WHERE);
await runCommandLine(addVerbs(program));
