/** The files that a run pins: of all roles those that it asks, what these may call, and what of them counts for nothing. */

import type { OwnWords } from '../base/words/words.js';
import type { ConfigInCode } from '../config/in-code.js';
import { isCallable, missingAgents, missingTools, namesBelow } from '../config/prompts/callable-roles.js';
import { promptRoots } from '../config/prompts/prompt-files.js';
import { loadPrefix, loadRoles, type Opening, type RoleTemplate } from '../config/prompts/prompts.js';
import { requireRoles, wayOfStart } from '../config/prompts/required-roles.js';
import { loadWords } from '../config/prompts/words.js';
import type { Settings } from '../config/settings.js';
import type { RoleProfile } from '../run/agents/role.js';
import { type AgentCard, MOST_AGENT_DEPTH } from '../run/agents/role.js';
import type { RunSettings } from '../run/agents/run-config.js';
import { type ModeName, mayPlan } from '../run/position/modes.js';
import type { ToolDefinition } from '../run/tools/tool.js';
import { addWorkflowTools } from '../run/tools/workflow-tools.js';

export interface RunFilesDeps {
  /** Folder of `steersman.yaml` and `prompts`: the project's, never the workspace. Null: there is none. */
  configDir: string | null;
  /** What the worker's program gives beside its files. Default: nothing. */
  inCode?: ConfigInCode;
  /** @throws SteersmanError where they can not be read. */
  loadSettings(): Promise<Settings>;
}

/** Roles that the settings want asked in a run of this mode, besides its own. */
function rolesAsked({ review, orchestrate, ...settings }: Settings, mode: ModeName): string[] {
  const plans = mayPlan(mode);
  // Without a plan there is nothing that a message could change, so its reader may as well be the role at work.
  const { steering = plans ? 'understand' : 'note' } = settings;
  const reviews = review.actions || (plans && (review.plans || review.results));
  return [
    ...(steering === 'note' ? [] : ['understanding', 'router']),
    ...(reviews ? ['reviewer'] : []),
    ...(plans && orchestrate ? ['orchestrator'] : []),
  ];
}

/** Besides the executor: for tasks that need what it says it has. */
function carriesOut({ output, capabilities = [] }: RoleProfile): boolean {
  return output === 'execution' && capabilities.length > 0;
}

export interface RunFiles {
  settings: Settings;
  /** Roles that those of the run may call; none where it is too deep in a tree of them. */
  callable: RoleTemplate[];
  /** What is known of them to those that may call them. */
  agents: AgentCard[];
  /** Of agents that roles name and do not have. */
  agentWarnings: string[];
  prefix: Opening;
  roles: RoleTemplate[];
  words: OwnWords | undefined;
}

/** @throws SteersmanError for files that say nothing usable, and for a role that is missing. */
export async function readRunFiles(
  { configDir, inCode, loadSettings }: RunFilesDeps,
  run: Pick<RunSettings, 'mode' | 'role' | 'agentDepth'>,
): Promise<RunFiles> {
  const settings = await loadSettings();
  const roots = promptRoots(configDir);
  const prefix = await loadPrefix(roots, settings.language, inCode);
  const all = await loadRoles(roots, settings.language, inCode);
  const words = await loadWords(roots, settings.language);
  const way = wayOfStart(run, settings);
  const required = requireRoles(way, settings, { templates: all, named: run.role });
  // Others would only cost state: nobody asks them.
  const wanted = new Set([...required, ...rolesAsked(settings, run.mode)]);
  const roles = all.filter(
    ({ profile }) => wanted.has(profile.name) || (mayPlan(run.mode) && carriesOut(profile)),
  );
  const globs = roles.flatMap(({ profile }) => profile.agents);
  const levels = MOST_AGENT_DEPTH - (run.agentDepth ?? 0);
  const callable = levels <= 0 ? [] : all.filter(({ profile }) => isCallable(profile, globs));
  const profiles = all.map(({ profile }) => profile);
  const agents = callable.map(({ profile }) => cardOf(profile, namesBelow(profile, profiles, levels - 1)));
  const agentWarnings = [...new Set([...roles, ...callable])].flatMap(role => missingAgents(role, profiles));
  return { settings, callable, agents, agentWarnings, prefix, roles, words };
}

function cardOf(
  { name, description, requires, capabilities, readOnly, maxRounds }: RoleProfile,
  calls: string[],
): AgentCard {
  return {
    ...{ name, description, requires },
    ...(capabilities && { capabilities }),
    ...(readOnly && { readOnly }),
    ...(maxRounds !== null && { rounds: maxRounds }),
    ...(calls.length > 0 && { calls }),
  };
}

/** What of the roles' files counts for nothing, also of those that are called: said once, where they are known. */
export function roleWarnings(
  roles: readonly RoleTemplate[],
  tools: readonly ToolDefinition[],
  own?: readonly ToolDefinition[],
): string[] {
  const profiles = roles.map(({ profile }) => profile);
  const offered = addWorkflowTools(tools, profiles, own).tools;
  return roles.flatMap(role => [...role.warnings, ...missingTools(role, offered)]);
}
