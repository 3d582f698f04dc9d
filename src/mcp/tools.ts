/** The tools of a run: those that its servers list when it starts, with the policies that they declare. */

import { errorText } from '../base/text/error-text.js';
import { plural } from '../base/text/format.js';
import { preview } from '../base/text/preview.js';
import {
  DEFAULT_TOOL_POLICY,
  type ToolDefinition,
  type ToolPolicy,
  workspaceToolOf,
} from '../run/tools/tool.js';
import { SteersmanError } from '../shared/process/errors.js';
import { isUsableSchema } from '../shared/schema/validate-arguments.js';
import { readResultTool } from '../shared/store/read-result.js';
import { recallTool } from '../shared/store/recall.js';
import type { McpPool } from './connection/pool.js';
import { isOwnTools } from './connection/resolve-server.js';
import { type ListedTool, takesTasksOnly } from './connection/server-tools.js';
import { appOf } from './tools/apps.js';
import { CODE_SERVER, STOPPABLE_META, TIMEOUT_META } from './tools/code-tools.js';
import { toolNamer } from './tools/tool-names.js';

export interface RunTools {
  /** In the order of servers; built-in tools come last. */
  tools: ToolDefinition[];
  /** The connected server named `default`, which takes calls of unknown tools; null if there is none. */
  fallbackServer: string | null;
  /** Each enabled server, and the server of tools in code. */
  servers: ServerState[];
  /** Servers and tools that were left out, with reasons, for people. */
  warnings: string[];
}

export interface ServerState {
  server: string;
  status: 'connected' | 'failed';
  /** Why it failed. */
  error?: string;
}

const FALLBACK_SERVER = 'default';
const MAX_DESCRIPTION_CHARS = 4_000;
/** Widely used endpoints refuse a request with more tools. */
const MANY_TOOLS = 128;

/** True for a tool of ours that reads files of the workspace. */
function isOwnRead(tool: ToolDefinition): boolean {
  const own = workspaceToolOf(tool);
  return own !== null && own !== 'fetch' && tool.policy.readOnly;
}

/** Turns caching off (WK7): other names, people or commands may have changed a file, and a local read costs nothing. */
function readAnew(tool: ToolDefinition): ToolDefinition {
  return { ...tool, policy: { ...tool.policy, cache: 'none' } };
}

function manyToolsWarning(count: number): string {
  return `The tool servers offer ${count} tools, and many endpoints take at most ${MANY_TOOLS} with a call: switch servers off with "enabled": false in .mcp.json, or give roles fewer ("tools" in their front matter).`;
}

/**
 * Lists the tools of every enabled server for one workspace, then those in code, then `ofActivities`, the application's
 * own. A server that does not start or lacks a variable becomes a warning, and the run continues with the others. With
 * `keeps`, conversations are stored, so the recall tool is added to read text that is no longer shown. The caller
 * applies `tools` of `steersman.yaml`.
 */
export async function listRunTools(
  pool: McpPool,
  workspace: string,
  ofActivities: readonly ToolDefinition[] = [],
  { keeps = false }: { keeps?: boolean } = {},
): Promise<RunTools> {
  const servers = pool.config.servers.map(({ name }) => name);
  if (pool.codeTools.length > 0) servers.push(CODE_SERVER);
  const listed = await Promise.all(servers.map(name => listServer(pool, name, workspace)));
  const nameOf = runToolNamer(pool, ofActivities);
  const states = listed.map(stateOf);
  const run: RunTools = {
    tools: [],
    fallbackServer: null,
    servers: states,
    warnings: [...pool.config.warnings],
  };
  for (const { name, tools, connected, warnings } of listed) {
    run.warnings.push(...warnings);
    if (connected && name === FALLBACK_SERVER) run.fallbackServer = name;
    for (const tool of tools) {
      const defined = defineTool(originOf(pool, name), tool, nameOf(name, tool.name));
      run.tools.push(isOwnRead(defined) ? readAnew(defined) : defined);
    }
  }
  run.tools.push(...ofActivities);
  // Without tools there are no results to page; the workspace tools read stored results like files.
  const hasRead = run.tools.some(tool => workspaceToolOf(tool) === 'read' && isOwnRead(tool));
  if (run.tools.length > 0 && !hasRead) run.tools.push(readResultTool);
  if (run.tools.length > 0 && keeps) run.tools.push(recallTool);
  if (run.tools.length > MANY_TOOLS) run.warnings.push(manyToolsWarning(run.tools.length));
  return run;
}

/** Names the tools of a run, in the order of its servers. Tools in code keep the names of their authors. */
export function runToolNamer(
  { config, codeTools }: Pick<McpPool, 'config' | 'codeTools'>,
  ofActivities: readonly ToolDefinition[] = [],
): (server: string, tool: string) => string {
  const nameOf = toolNamer(
    config.servers.map(({ name }) => name),
    [readResultTool, recallTool, ...codeTools, ...ofActivities].map(({ name }) => name),
  );
  return (server, tool) => (server === CODE_SERVER ? tool : nameOf(server, tool));
}

type McpOrigin = Extract<ToolDefinition['origin'], { type: 'mcp' }>;

interface ListedServer {
  name: string;
  tools: ListedTool[];
  connected: boolean;
  warnings: string[];
}

function stateOf({ name, connected, warnings }: ListedServer): ServerState {
  if (connected) return { server: name, status: 'connected' };
  return { server: name, status: 'failed', error: warnings.join(' ') };
}

async function listServer(pool: McpPool, name: string, workspace: string): Promise<ListedServer> {
  try {
    const { tools, connection } = await listTools(pool, name, workspace);
    const usable = tools.filter(tool => !takesTasksOnly(tool));
    const warnings = [
      leftOutWarning(name, connection.unreadableTools),
      tasksWarning(name, tools.filter(takesTasksOnly)),
      cutWarning(name, usable),
    ];
    return { name, tools: usable, connected: true, warnings: warnings.filter(warning => warning !== null) };
  } catch (error) {
    const message = errorText(error);
    const text =
      error instanceof SteersmanError
        ? `${message.replace(/\.?$/, '.')} ${error.remedy}`
        : `Tool server ${name}: its tools cannot be listed (${message}).`;
    return { name, tools: [], connected: false, warnings: [text] };
  }
}

/** Tries again if the listing shows that the connection is unusable, because its server may have restarted. */
async function listTools(pool: McpPool, name: string, workspace: string, isAgain = false) {
  const connection = await pool.connect(name, workspace);
  try {
    return { connection, tools: await connection.listTools() };
  } catch (error) {
    if (isAgain || !connection.closed) throw error;
    return listTools(pool, name, workspace, true);
  }
}

function leftOutWarning(server: string, count: number): string | null {
  if (count === 0) return null;
  return `Tool server ${server} lists ${plural(count, 'tool')} without a name, or with arguments nested too deep: left out.`;
}

const NAMED_TOOLS = 5;

function cutWarning(server: string, tools: readonly ListedTool[]): string | null {
  const cut = tools.filter(({ description = '' }) => description.length > MAX_DESCRIPTION_CHARS);
  if (cut.length === 0) return null;
  return `Tool server ${server}: models are told only the first ${MAX_DESCRIPTION_CHARS} characters of the descriptions of ${namesOf(cut)}.`;
}

function tasksWarning(server: string, tools: readonly ListedTool[]): string | null {
  if (tools.length === 0) return null;
  return `Tool server ${server} takes calls of ${namesOf(tools)} only as tasks of the protocol, which runs do not make: left out.`;
}

function namesOf(tools: readonly ListedTool[]): string {
  const named = tools.slice(0, NAMED_TOOLS).map(({ name }) => preview(name, 80));
  const more = tools.length > NAMED_TOOLS ? `, and ${tools.length - NAMED_TOOLS} more` : '';
  return `${named.join(', ')}${more}`;
}

function originOf({ config, servesOwn }: McpPool, name: string): McpOrigin {
  const server = config.servers.find(each => each.name === name);
  const { stateful, startTimeoutMs = 0 } = server ?? {};
  const own = servesOwn && server !== undefined && isOwnTools(server, config.dir);
  const origin = { type: 'mcp' as const, server: name, ...(own && { own }) };
  return stateful ? { ...origin, stateful, startTimeoutMs } : origin;
}

function defineTool(origin: McpOrigin, tool: ListedTool, name: string): ToolDefinition {
  const strict = isUsableSchema(tool.inputSchema);
  return {
    name,
    serverToolName: tool.name,
    origin,
    description: (tool.description ?? '').slice(0, MAX_DESCRIPTION_CHARS),
    inputSchema: isSchemaObject(tool.inputSchema) ? tool.inputSchema : { type: 'object' },
    validation: strict ? 'strict' : 'delegate',
    policy: {
      ...toolPolicy(tool.annotations),
      ...ownTimeout(tool),
      ...ownStop(tool),
      ...(origin.stateful && STATEFUL_POLICY),
    },
    ...appOf(tool),
  };
}

/** Returns the tool's own timeout, which it knows best; the configuration may override it. */
function ownTimeout({ _meta }: ListedTool): Partial<ToolPolicy> {
  const given = isSchemaObject(_meta) ? _meta[TIMEOUT_META] : undefined;
  return typeof given === 'number' && given > 0 && given <= MOST_OWN_MS ? { timeoutMs: given } : {};
}

/** Absent for most tools, so that the data that runs pin is unchanged. */
function ownStop({ _meta }: ListedTool): Partial<ToolPolicy> {
  return isSchemaObject(_meta) && _meta[STOPPABLE_META] === true ? { stoppable: true } : {};
}

const MOST_OWN_MS = 3_600_000;

/** Each call depends on what earlier calls have opened, and the data may change by itself. */
const STATEFUL_POLICY: Partial<ToolPolicy> = { concurrent: false, cache: 'none' };

function isSchemaObject(schema: unknown): schema is Record<string, unknown> {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

/**
 * Returns the policy that a server's annotations declare; without them a tool is neither read-only nor idempotent.
 * `steersman.yaml` may override it, because servers often declare nothing, and may lie.
 */
export function toolPolicy(annotations: ListedTool['annotations']): ToolPolicy {
  const readOnly = annotations?.readOnlyHint ?? DEFAULT_TOOL_POLICY.readOnly;
  return {
    ...DEFAULT_TOOL_POLICY,
    readOnly,
    concurrent: readOnly,
    idempotent: readOnly || (annotations?.idempotentHint ?? DEFAULT_TOOL_POLICY.idempotent),
    destructive: !readOnly && (annotations?.destructiveHint ?? DEFAULT_TOOL_POLICY.destructive),
  };
}
