/** Which roles another may call as sub-agents, and what they go without. Pure. */
import type { RoleProfile } from '../core/role.js';
import { matchesAny } from '../core/tools/glob.js';
import type { ToolDefinition } from '../core/tools/tool.js';
import { displayPath } from './files.js';

/**
 * Whether a role may be called, by the globs of those that would: its reply is text. One that shares the conversation
 * of its run was not made for it, and one that calls agents itself may call whoever called it: they have to be named
 * in full.
 */
export function isCallable(
  { name, output, agents, memory }: Pick<RoleProfile, 'name' | 'output' | 'agents' | 'memory'>,
  globs: readonly string[],
): boolean {
  if (output !== 'text') return false;
  return globs.includes(name) || (memory === 'private' && agents.length === 0 && matchesAny(name, globs));
}

/** A warning for tools that a role names in full and that nobody offers. */
export function missingTools(
  { file, profile }: { file: string; profile: Pick<RoleProfile, 'name' | 'tools'> },
  offered: readonly Pick<ToolDefinition, 'name'>[],
): string[] {
  const missing = profile.tools.filter(
    glob => !WILDCARD.test(glob) && !offered.some(({ name }) => name === glob),
  );
  if (missing.length === 0) return [];
  const names = missing.join(', ');
  return [`${displayPath(file)}: the role ${profile.name} goes without ${names}: no tool is called so.`];
}

/** Warnings for agents of a role that count for nothing: named in full and nobody to be called, or without the tool. */
export function missingAgents(
  { file, profile }: { file: string; profile: Pick<RoleProfile, 'name' | 'agents' | 'tools'> },
  roles: readonly Pick<RoleProfile, 'name' | 'output' | 'agents' | 'memory'>[],
): string[] {
  if (profile.agents.length === 0) return [];
  const begin = `${displayPath(file)}: the role ${profile.name} goes without`;
  // The bare wildcard does not mean the tools of the run itself.
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
  return [`${begin} ${missing.join(', ')}: no role is called so whose output is text.`];
}

const CALL_SUBAGENT = 'call_subagent';
const WILDCARD = /[*?{]/;
