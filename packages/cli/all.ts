/** All verbs of the command line. */
import type { Command } from 'commander';
import { addConsole } from './setup/console.js';
import { addDoctor, addModels } from './setup/doctor.js';
import { addMcp } from './setup/mcp.js';
import { addPermissions } from './setup/permissions.js';
import { addPrompts } from './setup/prompts.js';
import { addSkills } from './setup/skills.js';
import { addTools } from './setup/tools.js';
import { addBudget, addFollowUp, addModel, addPlan, addSteer, addSwitches } from './verbs/change.js';
import { addCredits } from './verbs/credits.js';
import { addAnswer, addApprove, addDeny, addToolResult } from './verbs/gates.js';
import { addList } from './verbs/list.js';
import { addArtifact, addExport, addResult, addShow, addStored, addTranscript } from './verbs/read.js';
import { addStart, addWatch } from './verbs/run.js';
import { addSchedule } from './verbs/schedule.js';
import { addSessions } from './verbs/sessions.js';

const VERBS = [
  addStart,
  addWatch,
  addShow,
  addResult,
  addTranscript,
  addList,
  addSessions,
  addCredits,
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
  addConsole,
  addMcp,
  addTools,
  addModels,
  addPrompts,
  addSkills,
  addPermissions,
  addDoctor,
];

export function addVerbs(program: Command): Command {
  for (const add of VERBS) add(program);
  return program;
}

/** Part of every verb's help. */
export const WHERE = `
It talks to the Temporal server that TEMPORAL_ADDRESS, TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE names, else to
the local stack, which it starts.`;
