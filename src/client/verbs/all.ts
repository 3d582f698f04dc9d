/** The verbs: what the command line does with runs. */
import type { Command } from 'commander';
import { addArtifact } from './artifact.js';
import { addBudget, addModel, addPlan } from './change.js';
import { addDoctor } from './doctor.js';
import { addExport } from './export.js';
import { addAnswer, addApprove, addDeny, addToolResult } from './gates.js';
import { addList } from './list.js';
import { addMcp } from './mcp.js';
import { addModels } from './models.js';
import { addPermissions } from './permissions.js';
import { addPrompts } from './prompts.js';
import { addResult } from './result.js';
import { addSchedule } from './schedule.js';
import { addShow } from './show.js';
import { addStart } from './start.js';
import { addFollowUp, addSteer } from './steer.js';
import { addStored } from './stored.js';
import { addSwitches } from './switches.js';
import { addTranscript } from './transcript.js';
import { addWatch } from './watch.js';

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
  addModel,
  addSchedule,
  addExport,
  addStored,
  addArtifact,
  addMcp,
  addModels,
  addPrompts,
  addPermissions,
  addDoctor,
];

export function addVerbs(program: Command): Command {
  for (const add of VERBS) add(program);
  return program;
}

/** Said in every help of theirs. */
export const WHERE = `
It talks to the Temporal server that TEMPORAL_ADDRESS, TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE names, else to
the local stack, which it starts.`;
