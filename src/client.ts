/** `npm run client -- <verb>`: starts, watches and ends runs. */
import { Command } from 'commander';
import { runCommandLine, strict } from './client/command.js';
import { addDoctor } from './client/verbs/doctor.js';
import { addExport } from './client/verbs/export.js';
import { addList } from './client/verbs/list.js';
import { addResult } from './client/verbs/result.js';
import { addShow } from './client/verbs/show.js';
import { addStart } from './client/verbs/start.js';
import { addCancel, addStop } from './client/verbs/stop.js';
import { addWatch } from './client/verbs/watch.js';

const program = strict(new Command('npm run client --'))
  .description('Starts, watches and ends runs of Steersman.')
  .addHelpText(
    'after',
    `
It talks to the Temporal server that TEMPORAL_ADDRESS, TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE names, else to
the local stack, which it starts.`,
  );
for (const add of [addStart, addWatch, addShow, addResult, addList, addStop, addCancel, addExport, addDoctor])
  add(program);
await runCommandLine(program);
