/** Decides which roles may be called as sub-agents, and warns of names without effect. Pure. */

import { matchesAny } from '../../base/text/glob.js';
import type { RoleProfile } from '../../run/agents/role.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { isNamed } from '../../run/tools/workflow-tools.js';
import { displayPath } from '../files/files.js';
import { SETTINGS_FILE } from '../settings/settings.js';

/**
 * True if a role may be called by these globs: its output must be text. A role that shares its run's conversation was
 * not made for calls, and one that calls agents may call its own caller: these two must be named in full.
 */
export function isCallable(
  { name, output, agents, memory }: Pick<RoleProfile, 'name' | 'output' | 'agents' | 'memory'>,
  globs: readonly string[],
): boolean {
  if (output !== 'text') return false;
  return globs.includes(name) || (memory === 'private' && agents.length === 0 && matchesAny(name, globs));
}

type Callable = Parameters<typeof isCallable>[0];

/** Returns the names of the roles that a role may call, and those that these may call, down to `levels`. */
export function namesBelow(
  { agents }: Pick<RoleProfile, 'agents'>,
  all: readonly Callable[],
  levels: number,
): string[] {
  if (levels <= 0) return [];
  const callable = all.filter(role => isCallable(role, agents));
  const below = callable.flatMap(role => namesBelow(role, all, levels - 1));
  return [...new Set([...callable.map(({ name }) => name), ...below])];
}

type Listed = Pick<ToolDefinition, 'name' | 'origin' | 'policy'>;

/** Warns of tools that a role names in full and no server offers, and of those that a read-only role may not have. */
export function missingTools(
  { file, profile }: { file: string; profile: Pick<RoleProfile, 'name' | 'tools' | 'readOnly'> },
  offered: readonly Listed[],
): string[] {
  const begin = `${displayPath(file)}: the role ${profile.name} goes without`;
  const named = profile.tools.filter(glob => !WILDCARD.test(glob));
  const missing = named.filter(glob => !offered.some(({ name }) => name === glob));
  const kept = profile.readOnly === true ? notReadOnly(profile.tools, named, offered) : [];
  return [
    ...(missing.length === 0 ? [] : [`${begin} ${missing.join(', ')}: no tool has this name.`]),
    ...(kept.length === 0
      ? []
      : [`${begin} ${kept.join(', ')}: not declared read-only, which ${SETTINGS_FILE} can say under tools.`]),
  ];
}

/** Returns the named tools that write, and servers whose tools all lack declarations. */
function notReadOnly(
  globs: readonly string[],
  named: readonly string[],
  offered: readonly Listed[],
): string[] {
  const written = offered.filter(({ name, policy }) => named.includes(name) && !policy.readOnly);
  const own = offered.filter(tool => isNamed(tool, globs));
  const serversOf = (tools: readonly Listed[]) =>
    tools.flatMap(({ origin }) => (origin.type === 'mcp' ? [origin.server] : []));
  const declared = serversOf(
    own.filter(({ policy }) => policy.readOnly || policy.idempotent || !policy.destructive),
  );
  const silent = [...new Set(serversOf(own))].filter(server => !declared.includes(server));
  return [...written.map(({ name }) => name), ...silent.map(server => `the tools of ${server}`)];
}

/** Warns of a role's agents without effect: named in full but not callable, or without the tool to call them. */
export function missingAgents(
  { file, profile }: { file: string; profile: Pick<RoleProfile, 'name' | 'agents' | 'tools'> },
  roles: readonly Pick<RoleProfile, 'name' | 'output' | 'agents' | 'memory'>[],
): string[] {
  if (profile.agents.length === 0) return [];
  const begin = `${displayPath(file)}: the role ${profile.name} goes without`;
  // The bare wildcard does not include the run's own tools.
  if (
    !matchesAny(
      CALL_SUBAGENT,
      profile.tools.filter(glob => glob !== '*'),
    )
  )
    return [`${begin} its agents: its tools do not name ${CALL_SUBAGENT}.`];
  const missing = profile.agents.filter(
    glob => !WILDCARD.test(glob) && !roles.some(role => role.name === glob && isCallable(role, [glob])),
  );
  if (missing.length === 0) return [];
  return [`${begin} ${missing.join(', ')}: no role with text output has this name.`];
}

const CALL_SUBAGENT = 'call_subagent';
const WILDCARD = /[*?{]/;
