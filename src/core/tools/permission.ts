/** Which tool calls run, ask a person, or are denied (S4, T9). */
import { matchesAny } from './glob.js';
import type { ToolDefinition } from './tool.js';

/** Globs (core/tools/glob.ts) over tool names, from `steersman.yaml`. Default: all empty. */
export interface Permissions {
  auto: string[];
  confirm: string[];
  deny: string[];
}

/**
 * `deny` beats everything; then "always for this run" and `autoApprove` (`--yes`), which answer what
 * would be asked; then `confirm`, `auto`, and the tool's own hint: read-only runs, everything else asks.
 *
 * `deny` and `confirm` also match the name that the tool has on its server, so that a tool offered under a
 * longer name does not slip by; `auto` matches the offered name only.
 */
export function decidePermission(
  tool: Pick<ToolDefinition, 'name' | 'serverToolName' | 'policy'>,
  permissions: Permissions,
  given: { alwaysThisRun: readonly string[]; autoApprove: boolean },
): 'run' | 'ask' | 'deny' {
  if (isDenied(tool, permissions)) return 'deny';
  if (given.autoApprove || given.alwaysThisRun.includes(tool.name)) return 'run';
  if (matchesEither(tool, permissions.confirm)) return 'ask';
  if (matchesAny(tool.name, permissions.auto)) return 'run';
  return tool.policy.readOnly ? 'run' : 'ask';
}

type Named = Pick<ToolDefinition, 'name' | 'serverToolName'>;

/** True for tools that never run, whoever allows them: no role is offered them. */
export function isDenied(tool: Named, { deny }: Pick<Permissions, 'deny'>): boolean {
  return matchesEither(tool, deny);
}

function matchesEither(tool: Named, globs: readonly string[]): boolean {
  return matchesAny(tool.name, globs) || matchesAny(tool.serverToolName, globs);
}

/** Permissions that are about no tool: a typing error in `deny` would protect nothing, and say nothing. */
export function idlePermissions(permissions: Permissions, tools: readonly Named[]): string[] {
  const kinds = ['auto', 'confirm', 'deny'] as const;
  return kinds.flatMap(kind =>
    permissions[kind]
      .filter(glob => !tools.some(tool => matchesEither(tool, [glob])))
      .map(glob => `steersman.yaml: permissions.${kind} "${glob}" matches no tool of this run.`),
  );
}
