/** Checks that the tool servers start, and lists their tools. */

import { toolsOf } from '@steersman/workspace-tools';
import { plural } from 'steersman/base';
import type { RoleTemplate } from 'steersman/config';
import { applyToolOverrides, missingTools, type Settings, TOOL_FILES } from 'steersman/config';
import type { McpConfig } from 'steersman/mcp';
import {
  CODE_SERVER,
  type CodeTool,
  listRunTools,
  McpPool,
  type McpPoolOptions,
  runToolNamer,
} from 'steersman/mcp';
import type { ToolDefinition } from 'steersman/run';
import { addWorkflowTools, idlePermissions } from 'steersman/run';
import { readResultTool } from 'steersman/shared';
import { OWN_TOOLS } from 'steersman/worker';
import { type Finding, failedBy, ok, warning } from './finding.js';

interface ServerFound {
  name: string;
  tools: ToolDefinition[];
  warnings: string[];
  failure: unknown;
}

interface Surroundings {
  lookup: McpPoolOptions['lookup'];
  codeTools: readonly CodeTool[];
  /** Roles whose files may name tools. */
  roles: readonly RoleTemplate[];
}

/** Starts every enabled server for one workspace, lists its tools as a run would see them, and ends it. */
export async function checkToolServers(
  config: McpConfig,
  settings: Settings,
  workspace: string,
  { lookup, codeTools, roles }: Surroundings,
): Promise<Finding[]> {
  const asked = config.servers.map(server =>
    readTools(server.name, { config: { ...config, servers: [server], warnings: [] }, lookup }, workspace),
  );
  if (codeTools.length > 0) {
    const none = { ...config, servers: [], warnings: [] };
    asked.push(readTools(CODE_SERVER, { config: none, lookup, codeTools }, workspace));
  }
  const offers = await Promise.all(asked);
  const nameOf = runToolNamer({ config, codeTools });
  const named = offers.flatMap(({ name, tools }) =>
    tools.map(tool => ({ ...tool, name: nameOf(name, tool.serverToolName) })),
  );
  const { tools, warnings } = applyToolOverrides(named, settings.tools, OWN_TOOLS);
  const findings = offers.map(offer => describeServer(offer, tools));
  // The tools of a server that failed are unknown, so patterns can't be checked.
  if (offers.some(offer => offer.failure !== null)) return findings;
  const unmatched = [...warnings, ...idlePermissions(settings.permissions, tools, OWN_TOOLS)];
  return [
    ...findings,
    ...warned('tool settings', unmatched, 'Correct the pattern, or remove it.'),
    ...warned('tools of roles', withoutTools(roles, tools), 'Name tools of your servers in their place.'),
  ];
}

/** Returns a warning for each tool that a role names and no server offers, as runs do. */
function withoutTools(roles: readonly RoleTemplate[], tools: readonly ToolDefinition[]): string[] {
  const offered = addWorkflowTools(
    [...tools, readResultTool],
    roles.map(({ profile }) => profile),
    OWN_TOOLS,
  ).tools;
  return roles.flatMap(role => missingTools(role, offered));
}

function warned(check: string, lines: readonly string[], remedy: string): Finding[] {
  return lines.length === 0 ? [] : [warning(check, lines.join('\n'), remedy)];
}

async function readTools(name: string, options: McpPoolOptions, workspace: string): Promise<ServerFound> {
  const pool = new McpPool({ ...options, toolsHere: toolsOf() });
  try {
    await pool.connect(name, workspace);
    const { tools, warnings } = await listRunTools(pool, workspace);
    return { name, tools: tools.filter(({ origin }) => origin.type === 'mcp'), warnings, failure: null };
  } catch (failure) {
    return { name, tools: [], warnings: [], failure };
  } finally {
    await pool.close();
  }
}

function describeServer({ name, warnings, failure }: ServerFound, tools: readonly ToolDefinition[]): Finding {
  const check = 'tools';
  if (failure !== null) return failedBy(check, failure);
  const own = tools.filter(({ origin }) => origin.type === 'mcp' && origin.server === name);
  const found = `${name === CODE_SERVER ? `${TOOL_FILES}/` : name}: ${plural(own.length, 'tool')}${namesOf(own)}`;
  if (warnings.length > 0) return warning(check, `${found}\n${warnings.join('\n')}`, null);
  if (own.length > 0) return ok(check, found);
  return warning(check, found, `Set "enabled": false for ${name} in .mcp.json if it has nothing to offer.`);
}

function namesOf(tools: readonly ToolDefinition[]): string {
  const names = (readOnly: boolean) =>
    tools.filter(({ policy }) => policy.readOnly === readOnly).map(({ name }) => name);
  const groups = [
    { label: 'read-only', list: names(true) },
    { label: 'with effects', list: names(false) },
  ];
  return groups
    .filter(({ list }) => list.length > 0)
    .map(({ label, list }) => `; ${label}: ${list.join(', ')}`)
    .join('');
}
