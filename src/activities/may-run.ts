/** What of a call may run on this worker, whatever a workflow says: its name, its folder, its arguments. */
import { homedir } from 'node:os';
import { readPattern } from '../core/tools/argument-pattern.js';
import { matchesCall } from '../core/tools/permission.js';
import type { McpConnection } from '../mcp/connection.js';
import { possibleNames } from '../mcp/tool-names.js';
import { isUsableSchema, validateArguments } from '../schema/validate-arguments.js';
import { within } from './stop-signal.js';
import type { CallToolInput } from './types.js';

/** For the list of tools, where it has to be asked for. */
export const LIST_BUDGET_MS = 5_000;

interface Denied {
  /** Patterns of calls that never run on this worker. */
  deny: readonly string[];
  /** Names of its tool servers. */
  servers: readonly string[];
}

/** What the host denies does not run on it, whatever a workflow says it is called. */
export function isDenied(
  { tool, serverToolName = tool, server }: CallToolInput,
  { args, workspace }: { args: Record<string, unknown>; workspace: string },
  { deny, servers }: Denied,
): boolean {
  const [first = tool, ...others] = server === null ? [] : possibleNames(server, serverToolName, servers);
  // A name that only a collision leads to is denied as it is written: the glob `rm_*` is not about `rm`.
  const called = { input: args, workspace, home: homedir() };
  if (matchesCall([tool, serverToolName, first], called, deny)) return true;
  const literal = deny.filter(pattern => others.includes(readPattern(pattern).names));
  return matchesCall(others, called, literal);
}

/**
 * What is wrong with the arguments. The schema is the server's of this moment; where it can not be had, the server is
 * the judge.
 */
export async function argumentErrors(
  connection: McpConnection,
  { tool, serverToolName = tool, checked }: CallToolInput,
  args: Record<string, unknown>,
): Promise<string[]> {
  if (!checked) return [];
  const asked = connection.inputSchemaOf(serverToolName).catch(() => undefined);
  const schema = await within(LIST_BUDGET_MS, asked, undefined);
  return isUsableSchema(schema) ? validateArguments(schema, args) : [];
}
