/** Which tool calls run, ask a person, or are denied (S4, T9). */
import { matchesAny } from './run-config.js';
import type { ToolDefinition } from './tool.js';

/** Globs over tool names, from `steersman.yaml`; `*` stands for any run of characters. Default: all empty. */
export interface Permissions {
  auto: string[];
  confirm: string[];
  deny: string[];
}

export const NO_PERMISSIONS: Permissions = { auto: [], confirm: [], deny: [] };

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
  const matches = (globs: readonly string[]) =>
    matchesAny(tool.name, globs) || matchesAny(tool.serverToolName, globs);
  if (matches(permissions.deny)) return 'deny';
  if (given.autoApprove || given.alwaysThisRun.includes(tool.name)) return 'run';
  if (matches(permissions.confirm)) return 'ask';
  if (matchesAny(tool.name, permissions.auto)) return 'run';
  return tool.policy.readOnly ? 'run' : 'ask';
}
