/** Uses a folder's tools without a run: lists them with the state of their servers, and calls one by its permissions (T24). */

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { checkWorkspace, workspaceRoots } from '../config/files/workspace.js';
import { applyToolOverrides, loadSettings, type Settings } from '../config/settings/settings.js';
import { McpCallError } from '../mcp/connection/call-failure.js';
import { loadMcpConfig } from '../mcp/connection/config.js';
import type { McpPool } from '../mcp/connection/pool.js';
import { callMeta } from '../mcp/tools/code-tools.js';
import type { ToolAnswer } from '../mcp/tools/tool-answer.js';
import { listRunTools, type ServerState } from '../mcp/tools.js';
import type { ToolEnding } from '../run/messages/message.js';
import { decidePermission } from '../run/tools/permission.js';
import type { ToolDefinition } from '../run/tools/tool.js';
import { SteersmanError } from '../shared/process/errors.js';
import { isUsableSchema, validateArguments } from '../shared/schema/validate-arguments.js';
import { type SteersmanPluginOptions, toolPool } from './parts/parts.js';

export interface OpenToolsOptions
  extends Pick<SteersmanPluginOptions, 'configDir' | 'mcpServers' | 'tools' | 'settings'> {
  /** Folder that the tools work in. Default: the current folder. */
  workspace?: string;
}

export interface ToolsHere {
  /** Under the names that models see, with the policies that `tools` of `steersman.yaml` sets. */
  tools: ToolDefinition[];
  servers: ServerState[];
  warnings: string[];
}

export interface ToolCallOptions {
  /** Decides on a call that would ask a person. Default: such a call is denied. */
  approve?: (call: { tool: string; arguments: Record<string, unknown> }) => boolean | Promise<boolean>;
  /** Texts by name for the tool, as `context` of a start. Default: none. */
  context?: Record<string, string>;
  /** Names the call to systems that must do nothing twice. Default: a new one. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface CalledTool {
  /** `executed`, also for a result that the tool marks as an error; else why there is no result. */
  ending: ToolEnding;
  isError: boolean;
  /** Why it did not run or has no result; '' for a result. */
  note: string;
  /** The result's texts, a line each. */
  text: string;
  /** The parts of the result, whole. */
  content: ToolAnswer['content'];
  /** The structured content of the result; absent without one. */
  value?: unknown;
}

/**
 * Opens the tools that runs in this folder would have. Close it: servers end with it.
 * @throws SteersmanError if the configuration is wrong, or `workspaces` does not allow the folder.
 */
export async function openTools(options: OpenToolsOptions = {}): Promise<Tools> {
  const { mcpServers, tools = [], workspace = '.' } = options;
  const configDir = options.configDir === undefined ? null : resolve(options.configDir);
  const settings = await loadSettings(configDir, options);
  const real = await checkWorkspace(resolve(workspace), workspaceRoots(settings.workspaces, true));
  const denied = async () => settings.permissions.deny;
  const pool = toolPool({ config: loadMcpConfig(configDir, mcpServers), codeTools: tools }, { denied });
  return new Tools(pool, settings, real);
}

export class Tools {
  readonly #pool: McpPool;
  readonly #settings: Settings;
  readonly #workspace: string;

  /** Programs get one from `openTools`. */
  constructor(pool: McpPool, settings: Settings, workspace: string) {
    this.#pool = pool;
    this.#settings = settings;
    this.#workspace = workspace;
  }

  /** Asks each enabled server. One that fails is `failed`, and the others are listed. */
  async list(): Promise<ToolsHere> {
    const { tools, servers, warnings } = await listRunTools(this.#pool, this.#workspace);
    const callable = tools.filter(({ origin }) => origin.type === 'mcp');
    const changed = applyToolOverrides(callable, this.#settings.tools);
    return { tools: changed.tools, servers, warnings: [...warnings, ...changed.warnings] };
  }

  /**
   * Calls a tool once, if `permissions` allow it: `deny` holds, and `approve` decides calls that would ask a person.
   * @throws SteersmanError for an unknown tool.
   */
  async call(
    name: string,
    args: Record<string, unknown> = {},
    options: ToolCallOptions = {},
  ): Promise<CalledTool> {
    const { tools } = await this.list();
    const tool = tools.find(each => each.name === name);
    if (tool?.origin.type !== 'mcp') throw unknownTool(name, tools);
    const { inputSchema } = tool;
    const faults = isUsableSchema(inputSchema) ? validateArguments(inputSchema, args) : [];
    if (faults.length > 0) return notRun('invalid', faults.join('\n'));
    const refused = await this.#refusal(tool, args, options);
    return refused === null
      ? this.#send(tool, tool.origin.server, { args, options })
      : notRun('denied', refused);
  }

  /** Ends the tool servers. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #refusal(
    tool: ToolDefinition,
    args: Record<string, unknown>,
    { approve }: ToolCallOptions,
  ): Promise<string | null> {
    const called = { input: args, workspace: this.#workspace };
    const given = { alwaysThisRun: [], autoApprove: false };
    const permission = decidePermission(tool, called, this.#settings.permissions, given);
    if (permission === 'run') return null;
    if (permission !== 'ask') return `permissions.deny forbids this call of ${tool.name}.`;
    if (approve === undefined) return `${tool.name} asks a person first, and no \`approve\` was given.`;
    return (await approve({ tool: tool.name, arguments: args })) ? null : `${tool.name} was not approved.`;
  }

  async #send(
    tool: ToolDefinition,
    server: string,
    { args, options }: { args: Record<string, unknown>; options: ToolCallOptions },
  ): Promise<CalledTool> {
    const { context = {}, idempotencyKey = randomUUID(), signal = new AbortController().signal } = options;
    try {
      const connection = await this.#pool.connect(server, this.#workspace);
      const answer = await connection.callTool({
        tool: tool.serverToolName,
        arguments: args,
        meta: callMeta(context, { idempotencyKey }),
        signal,
        timeoutMs: tool.policy.timeoutMs,
        onProgress: () => undefined,
      });
      return resultOf(answer);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof McpCallError) return notRun(endingOf(error), error.message);
      if (error instanceof SteersmanError) return notRun('unavailable', error.message);
      throw error;
    }
  }
}

function resultOf({ content, structuredContent, isError }: ToolAnswer): CalledTool {
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []));
  const value = structuredContent === undefined ? {} : { value: structuredContent };
  return { ending: 'executed', isError, note: '', text: texts.join('\n'), content, ...value };
}

function notRun(ending: ToolEnding, note: string): CalledTool {
  return { ending, isError: true, note, text: '', content: [] };
}

function endingOf({ kind, proof, notCalled }: McpCallError): ToolEnding {
  if (notCalled) return 'invalid';
  if (kind === 'rejected') return 'executed';
  return proof === null && kind !== 'busy' ? 'outcome_unknown' : 'unavailable';
}

function unknownTool(name: string, tools: readonly ToolDefinition[]): SteersmanError {
  const names = tools.map(tool => tool.name).join(', ') || 'none';
  return new SteersmanError(`There is no tool "${name}".`, `The tools are: ${names}.`, 'usage');
}
