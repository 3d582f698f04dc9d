/** What of a call may run on this worker, whatever a workflow says: its name, its folder, its arguments. */
import { homedir } from 'node:os';
import { readPattern } from '../../core/tools/argument-pattern.js';
import { matchesCall } from '../../core/tools/permission.js';
import type { McpConnection } from '../../mcp/connection/connection.js';
import { possibleNames } from '../../mcp/tool-names.js';
import { isUsableSchema, validateArguments } from '../../shared/schema/validate-arguments.js';
import { within } from '../stop-signal.js';
import type { CallToolInput } from '../types.js';

/** For the list of tools, where it has to be asked for. */
const LIST_BUDGET_MS = 5_000;

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
 * Whether the server lists the tool before it is called, and what is wrong with the arguments. Where its list can not be
 * had, it counts as listed, which proves nothing, and the server is the judge of arguments.
 */
export async function lookUp(
  connection: McpConnection,
  { tool, serverToolName = tool, checked }: CallToolInput,
  args: Record<string, unknown>,
): Promise<{ isListed: boolean; errors: string[] }> {
  const asked = connection.findTool(serverToolName).catch(() => null);
  const found = await within(LIST_BUDGET_MS, asked, null);
  const schema = checked && found?.inputSchema;
  return {
    isListed: found !== undefined,
    errors: isUsableSchema(schema) ? validateArguments(schema, args) : [],
  };
}
