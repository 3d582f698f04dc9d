/** The verbs: what the command line does with runs. */
import type { Command } from 'commander';
import { addDoctor } from './setup/doctor.js';
import { addMcp } from './setup/mcp.js';
import { addModels } from './setup/models.js';
import { addPermissions } from './setup/permissions.js';
import { addPrompts } from './setup/prompts.js';
import { addArtifact } from './verbs/artifact.js';
import { addBudget, addModel, addPlan } from './verbs/change.js';
import { addExport } from './verbs/export.js';
import { addAnswer, addApprove, addDeny, addToolResult } from './verbs/gates.js';
import { addList } from './verbs/list.js';
import { addResult } from './verbs/result.js';
import { addSchedule } from './verbs/schedule.js';
import { addShow } from './verbs/show.js';
import { addStart } from './verbs/start.js';
import { addFollowUp, addSteer } from './verbs/steer.js';
import { addStored } from './verbs/stored.js';
import { addSwitches } from './verbs/switches.js';
import { addTranscript } from './verbs/transcript.js';
import { addWatch } from './verbs/watch.js';

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
