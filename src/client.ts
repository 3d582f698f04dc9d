/** `npm run client -- <verb>`: starts, watches, steers and ends runs. */

import { Command } from 'commander';
import { PROGRAM } from './called-as.js';
import { addBudget, addPlan } from './client/verbs/change.js';
import { runCommandLine, strict } from './client/verbs/command.js';
import { addDoctor } from './client/verbs/doctor.js';
import { addExport } from './client/verbs/export.js';
import { addAnswer, addApprove, addDeny, addToolResult } from './client/verbs/gates.js';
import { addList } from './client/verbs/list.js';
import { addMcp } from './client/verbs/mcp.js';
import { addResult } from './client/verbs/result.js';
import { addShow } from './client/verbs/show.js';
import { addStart } from './client/verbs/start.js';
import { addFollowUp, addSteer } from './client/verbs/steer.js';
import { addStored } from './client/verbs/stored.js';
import { addSwitches } from './client/verbs/switches.js';
import { addTranscript } from './client/verbs/transcript.js';
import { addWatch } from './client/verbs/watch.js';

const program = strict(new Command(PROGRAM.verbs))
  .description('Starts, watches, steers and ends runs of Steersman.')
  .addHelpText(
    'after',
    `
It talks to the Temporal server that TEMPORAL_ADDRESS, TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE names, else to
the local stack, which it starts.`,
  );
const VERBS = [
  addStart,
  addWatch,
  addShow,
  addResult,
  addTranscript,
  addList,
  addSteer,
  addFollowUp,
  addSwitches,
  addApprove,
  addDeny,
  addAnswer,
  addToolResult,
  addPlan,
  addBudget,
  addExport,
  addStored,
  addMcp,
  addDoctor,
];
for (const add of VERBS) add(program);
await runCommandLine(program);
