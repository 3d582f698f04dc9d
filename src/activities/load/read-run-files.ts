/** The files that a run pins: the roles that it asks, agents that these may call, and warnings on parts without effect. */

import { ownValue } from '../../base/json/json.js';
import type { OwnWords } from '../../base/words/words.js';
import { promptRoots } from '../../config/files/prompt-files.js';
import { isCallable, missingAgents, missingTools, namesBelow } from '../../config/prompts/callable-roles.js';
import { loadPrefix, loadRoles, type Opening, type RoleTemplate } from '../../config/prompts/prompts.js';
import { modeOfStart, requireRoles } from '../../config/prompts/required-roles.js';
import { loadWords } from '../../config/prompts/words.js';
import type { ConfigInCode } from '../../config/settings/in-code.js';
import type { Settings } from '../../config/settings/settings.js';
import type { RoleProfile } from '../../run/agents/role.js';
import { type AgentCard, MOST_AGENT_DEPTH, roleNamed } from '../../run/agents/role.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import { type ModeName, mayPlan } from '../../run/position/modes.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { addWorkflowTools } from '../../run/tools/workflow-tools.js';

export interface RunFilesDeps {
  /** The folder of `steersman.yaml` and `prompts`: the project's, never the workspace. Null without one. */
  configDir: string | null;
  /** Configuration in the code of the worker's program. Default: {}. */
  inCode?: ConfigInCode;
  /** @throws SteersmanError if they can't be read. */
  loadSettings(): Promise<Settings>;
}

/** Returns the roles that the settings add to a run of this mode. */
function rolesAsked({ review, orchestrate, ...settings }: Settings, mode: ModeName): string[] {
  const plans = mayPlan(mode);
  // Without a plan no message can change one, so the role at work may read messages itself.
  const { steering = plans ? 'understand' : 'note' } = settings;
  const reviews = review.actions || (plans && (review.plans || review.results));
  return [
    ...(steering === 'note' ? [] : ['understanding', 'router']),
    ...(reviews ? ['reviewer'] : []),
    ...(plans && orchestrate ? ['orchestrator'] : []),
  ];
}

/** True for a role besides the executor that carries out tasks for its declared capabilities. */
function carriesOut({ output, capabilities = [] }: RoleProfile): boolean {
  return output === 'execution' && capabilities.length > 0;
}

export interface RunFiles {
  settings: Settings;
  /** Roles that the run's roles may call; empty at the maximum depth of agents. */
  callable: RoleTemplate[];
  /** Facts about them for the roles that may call them. */
  agents: AgentCard[];
  /** Warnings about agents that roles name and do not have. */
  agentWarnings: string[];
  prefix: Opening;
  roles: RoleTemplate[];
  words: OwnWords | undefined;
}

/** @throws SteersmanError for unusable files, and for a missing role. */
export async function readRunFiles(
  { configDir, inCode, loadSettings }: RunFilesDeps,
  run: Pick<RunSettings, 'mode' | 'role' | 'agentDepth'>,
): Promise<RunFiles> {
  const read = await loadSettings();
  const roots = promptRoots(configDir);
  const prefix = await loadPrefix(roots, read.language, inCode);
  const all = await loadRoles(roots, read.language, inCode);
  const meant = meantBy(run.role, all);
  const named = meant
    ? [...all, { ...meant.role, profile: { ...meant.role.profile, name: meant.said } }]
    : all;
  const settings = meant ? withAlias(read, meant.role.profile.name, meant.said) : read;
  const words = await loadWords(roots, settings.language);
  const way = modeOfStart(run, settings);
  const required = requireRoles(way, settings, { templates: named, named: run.role });
  // Other roles are never asked, and would only enlarge the state.
  const wanted = new Set([...required, ...rolesAsked(settings, run.mode)]);
  const roles = named.filter(
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

/** Returns the role that a start names by an id such as `search_agent`, which it has in the run (CF7). */
function meantBy(
  said: string | undefined,
  roles: readonly RoleTemplate[],
): { said: string; role: RoleTemplate } | null {
  const names = roles.map(({ profile }) => profile.name);
  const name = said === undefined ? said : roleNamed(said, names);
  const role = roles.find(({ profile }) => profile.name === name);
  return said === undefined || name === said || !role ? null : { said, role };
}

/** Applies a role's settings also under the id by which the start names the role. */
function withAlias(settings: Settings, name: string, said: string): Settings {
  const { models, context } = settings;
  const under = <T>(roles: Readonly<Record<string, T>>): Record<string, T> => {
    const own = ownValue(roles, name);
    return own === undefined ? { ...roles } : { ...roles, [said]: own };
  };
  const configurations = Object.entries(models.configurations).map(
    ([key, given]) => [key, { ...given, roles: under(given.roles) }] as const,
  );
  const resolver = models.resolver.map(row =>
    row.when.role === name ? { ...row, when: { ...row.when, role: said } } : row,
  );
  return {
    ...settings,
    models: {
      ...models,
      ...{ roles: under(models.roles), configurations: Object.fromEntries(configurations), resolver },
    },
    context: { ...context, roles: under(context.roles) },
  };
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

/** Returns warnings about the roles' files, including those of callable roles. */
export function roleWarnings(
  roles: readonly RoleTemplate[],
  tools: readonly ToolDefinition[],
  own?: readonly ToolDefinition[],
): string[] {
  const profiles = roles.map(({ profile }) => profile);
  const offered = addWorkflowTools(tools, profiles, own).tools;
  return roles.flatMap(role => [...role.warnings, ...missingTools(role, offered)]);
}
