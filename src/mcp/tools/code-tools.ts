/** Tools that the worker's program supplies as functions. They are served in this process over MCP, like all tools. */

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord, ownValue } from '../../base/json/json.js';
import { errorText } from '../../base/text/error-text.js';
import { unknownKeyText } from '../../config/files/yaml-source.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { isZod, schemaOfInput } from '../../shared/schema/zod-input.js';

/** The server name of these tools, which `.mcp.json` must not use. */
export const CODE_SERVER = 'in-code';

/** Facts that a tool gets about the call that it answers. */
export interface ToolContext {
  /** The run's folder, its real path on this host. */
  workspace: string;
  /** Workflow id of the run. */
  runId: string;
  /** Identifies this call across all runs and attempts, for systems that do the same work only once per key. */
  idempotencyKey: string;
  /** The plan's task that the call belongs to; null outside of a task. */
  taskId: string | null;
  /** The `context` that the run was started with. */
  values: Readonly<Record<string, string>>;
  /**
   * Aborted when the answer is not awaited any longer: by a stop (idempotent and stoppable tools), the time limit or
   * the worker's end.
   */
  signal: AbortSignal;
  /** Reports the progress to watchers. */
  progress(done: number, total?: number, message?: string): void;
}

/** The arguments as the zod schema outputs them; with a JSON Schema, plain data that fits it. */
type Arguments<S> = S extends z.ZodType ? z.output<S> : Record<string, unknown>;

export interface ToolOptions<S> {
  /** The tool's name for models: letters, digits, `_` and `-`, at most 64. It is used unchanged. */
  name: string;
  /** For the model: what the tool does, and when to use it. */
  description: string;
  /** The schema of its arguments: a zod 4 object schema or a JSON Schema. Default: it takes no arguments. */
  input?: S;
  /** It changes nothing, so it runs without asking a person, and is retried. Default false. */
  readOnly?: boolean;
  /** Running it twice has the same effect as running it once, so it is retried. Default: the value of `readOnly`. */
  idempotent?: boolean;
  /** It may destroy existing data, which its approval states. Default: true unless the tool is read-only. */
  destructive?: boolean;
  /** How long a call may take, milliseconds, unless the configuration says otherwise. Default 60,000, as for all tools. */
  timeoutMs?: number;
  /**
   * It ends its work when `signal` is aborted, even if it may have had an effect by then. A stop then aborts it, and
   * its error is the result of a call with unknown outcome. Default false: a stop waits for its end.
   */
  stoppable?: boolean;
  /**
   * Does the work. The model sees the returned text, or the returned value as JSON. A thrown error reaches the model as
   * a failed call, and the run continues.
   */
  run(args: Arguments<S>, context: ToolContext): unknown;
}

/** A tool that is ready to be served, created by `defineTool`. */
export interface CodeTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  readOnly: boolean;
  idempotent: boolean;
  /** If absent, a tool that is not read-only counts as destructive. */
  destructive?: boolean;
  /** If absent, the default of all tools applies. */
  timeoutMs?: number;
  /** If absent, a stop waits for its end, unless it may be repeated. */
  stoppable?: boolean;
  run(args: unknown, context: ToolContext): unknown;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const POLICY_KEYS = ['readOnly', 'idempotent', 'destructive', 'timeoutMs', 'stoppable', 'run'];
const OPTION_KEYS = ['name', 'description', 'input', ...POLICY_KEYS];
export const CODE_TOOL_KEYS = ['name', 'description', 'inputSchema', ...POLICY_KEYS];

/**
 * Makes a tool from a function. Permission, retries, the ledger of results and time limits work as for any tool. A call
 * that may have had an effect when its worker died is reported to the model as unknown, and is not run again.
 * @throws SteersmanError for a name that models could not call, for an invalid schema, and for unknown keys.
 */
export function defineTool<S extends z.ZodType | JsonSchema = JsonSchema>(options: ToolOptions<S>): CodeTool {
  checkToolKeys(options, OPTION_KEYS);
  const {
    name,
    description,
    input,
    readOnly = false,
    idempotent = readOnly,
    destructive,
    timeoutMs,
    stoppable,
  } = options;
  checkToolName(name);
  const { inputSchema, parse } = argumentsOf(name, input);
  const work = (parsed: unknown, context: ToolContext) => options.run(parsed as Arguments<S>, context);
  const run: CodeTool['run'] = (args, context) => work(parse(args), context);
  STEPS.set(run, { parse, work });
  return {
    ...{ name, description, inputSchema, readOnly, idempotent, run },
    ...(destructive !== undefined && { destructive }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(stoppable !== undefined && { stoppable }),
  };
}

interface Steps {
  parse(args: unknown): unknown;
  work(parsed: unknown, context: ToolContext): unknown;
}

/**
 * The steps of a tool's `run`, in order. Only a failure of the first proves that the function was not called. Another
 * `run` function has no entry, even if it wraps one that has.
 */
const STEPS = new WeakMap<CodeTool['run'], Steps>();

/** Checks a tool's name. @throws SteersmanError for a name that models could not call. */
export function checkToolName(name: string): void {
  if (NAME.test(name)) return;
  throw new SteersmanError(
    `The tool name ${JSON.stringify(name)} cannot be used.`,
    'Use letters, digits, "_" and "-", 64 at most.',
  );
}

/** Returns the tool. @throws SteersmanError for an unknown key: a misspelt `readOnly` would otherwise go unnoticed. */
export function checkToolKeys<T extends { name: string }>(tool: T, known: readonly string[]): T {
  const unknown = Object.keys(tool).filter(key => !known.includes(key));
  if (unknown.length === 0) return tool;
  const texts = unknown.map(key => unknownKeyText(`The tool ${tool.name}`, [key], known));
  throw new SteersmanError(texts.join('\n'), `Remove it: a tool has ${known.join(', ')}.`);
}

/** Returns the schema that models see, and a function that reads arguments. @throws SteersmanError for an invalid schema. */
export function argumentsOf(
  name: string,
  input: z.ZodType | JsonSchema | undefined,
): { inputSchema: JsonSchema; parse(args: unknown): unknown } {
  const schema = isZod(input) ? input : null;
  const inputSchema = inputSchemaOf(name, input);
  return {
    inputSchema,
    parse: args => (schema ? parseBy(schema, args) : withDefaults(inputSchema, args)),
  };
}

/** Fills in defaults of required arguments, which a call may leave out. */
function withDefaults({ required, properties }: JsonSchema, args: unknown): unknown {
  if (!isRecord(args) || !Array.isArray(required) || !isRecord(properties)) return args;
  const missing = required.flatMap(name => {
    const schema = Object.hasOwn(args, name) ? null : ownValue(properties, String(name));
    return isRecord(schema) && 'default' in schema ? [[name, schema.default]] : [];
  });
  return { ...args, ...Object.fromEntries(missing) };
}

function inputSchemaOf(name: string, input: z.ZodType | JsonSchema | undefined): JsonSchema {
  if (input === undefined) return { type: 'object', properties: {}, additionalProperties: false };
  const { $schema: _dialect, ...schema } = isZod(input) ? schemaOfInput(input) : input;
  if (schema.type === 'object') return schema;
  throw new SteersmanError(
    `The input of the tool ${name} is not the schema of an object.`,
    'Give z.object({ … }) of zod 4, or a JSON Schema of the type "object".',
  );
}

/** The run has validated the arguments already. This fills in defaults and checks rules beyond JSON Schema. */
function parseBy(schema: z.ZodType, args: unknown): unknown {
  const { success, data, error } = schema.safeParse(args);
  if (success) return data;
  const faults = error.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'arguments'}: ${message}`,
  );
  throw new Error(faults.join('; '));
}

/** Checks that names are unique. @throws SteersmanError if two tools have the same name. */
export function checkCodeTools(tools: readonly Pick<CodeTool, 'name'>[]): void {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new SteersmanError(`Two tools in code are called ${twice}.`, 'Give each a name of its own.');
  }
}

/** Serves the tools for one workspace; returns the client's end of the transport. */
export async function serveCodeTools(
  tools: readonly CodeTool[],
  workspace: string,
): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await codeToolServer(tools, workspace).connect(theirs);
  return ours;
}

/** Returns an MCP server with these tools; the caller connects it. */
export function codeToolServer(tools: readonly CodeTool[], workspace: string, name = CODE_SERVER): Server {
  const server = new Server({ name, version: '1' }, { capabilities: { tools: {} } });
  const stops = new Map<string, AbortController>();
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new McpError(ErrorCode.MethodNotFound, `there is no tool ${params.name}`);
    const context = contextOf(workspace, extra);
    if (tool.stoppable !== true) return answer(tool, params.arguments ?? {}, context);
    const stop = new AbortController();
    stops.set(context.idempotencyKey, stop);
    const signal = AbortSignal.any([context.signal, stop.signal]);
    return answer(tool, params.arguments ?? {}, { ...context, signal }).finally(() =>
      stops.delete(context.idempotencyKey),
    );
  });
  server.setNotificationHandler(stopNotification, ({ params }) => stops.get(params.idempotencyKey)?.abort());
  return server;
}

/** Unlike the protocol's cancellation, it expects an answer: the work that was done until then. */
export const STOP_METHOD = 'notifications/steersman/stop';
const stopNotification = z.object({
  method: z.literal(STOP_METHOD),
  params: z.looseObject({ idempotencyKey: z.string() }),
});

/** In `_meta` of a listed tool: how long its calls may take. The protocol has no field for it. */
export const TIMEOUT_META = 'steersman/timeoutMs';
/** In `_meta` of a listed tool: it answers `STOP_METHOD`. */
export const STOPPABLE_META = 'steersman/stoppable';

function listed(tool: CodeTool) {
  const { name, description, inputSchema, readOnly, idempotent, destructive, timeoutMs, stoppable } = tool;
  const meta = {
    ...(timeoutMs !== undefined && { [TIMEOUT_META]: timeoutMs }),
    ...(stoppable !== undefined && { [STOPPABLE_META]: stoppable }),
  };
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    annotations: {
      ...{ readOnlyHint: readOnly, idempotentHint: idempotent },
      ...(destructive !== undefined && { destructiveHint: destructive }),
    },
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** Marks an error that proves that the function was not called. The SDK uses the same error code for an invalid result. */
const NOT_CALLED = 'steersman/notCalled';

export function saysNotCalled(data: unknown): boolean {
  return isRecord(data) && data[NOT_CALLED] === true;
}

async function answer(tool: CodeTool, args: unknown, context: ToolContext): Promise<CallToolResult> {
  const steps = STEPS.get(tool.run);
  let parsed = args;
  try {
    if (steps) parsed = steps.parse(args);
  } catch (error) {
    throw new McpError(ErrorCode.InvalidParams, errorText(error), { [NOT_CALLED]: true });
  }
  try {
    const value = await (steps ? steps.work(parsed, context) : tool.run(parsed, context));
    return { content: contentOf(value) };
  } catch (error) {
    const stopped = tool.stoppable === true && context.signal.aborted;
    const isLasting = isRecord(error) && error.nonRetryable === true;
    const meta = { ...(stopped && { [STOPPED_META]: true }), ...(!isLasting && { [THREW_META]: true }) };
    return { content: [{ type: 'text', text: errorText(error) }], isError: true, _meta: meta };
  }
}

/** In `_meta` of an answer: the tool was stopped before it had finished. */
const STOPPED_META = 'steersman/stopped';

export function saysStopped(meta: unknown): boolean {
  return isRecord(meta) && meta[STOPPED_META] === true;
}

/** In `_meta` of an answer: the function threw, and another call may succeed. */
const THREW_META = 'steersman/threw';

/** True for the answer of a program's function that may be called again. Others throw where a model chose wrongly. */
export function mayCallAgain(server: string, meta: unknown): boolean {
  return server === CODE_SERVER && isRecord(meta) && meta[THREW_META] === true;
}

/** In `_meta` of a text: it is the output of a command, which is shortened as such. */
export const COMMAND_META = 'steersman/command';

/** A result made of protocol parts, such as a picture. */
export class Parts {
  readonly content: CallToolResult['content'];

  constructor(content: CallToolResult['content']) {
    this.content = content;
  }
}

/** Returns a text unchanged and any other value as JSON. If a value has no JSON, the result says that the tool has run. */
export function contentOf(value: unknown): CallToolResult['content'] {
  if (value === undefined) return [];
  if (value instanceof Parts) return value.content;
  const isText = typeof value === 'string' || typeof value === 'bigint';
  return [{ type: 'text', text: isText ? String(value) : jsonOf(value) }];
}

function jsonOf(value: unknown): string {
  try {
    // Functions and symbols have no JSON, despite the declared type.
    const json: string | undefined = JSON.stringify(value, withDigits);
    return json ?? noJson(`it is a ${typeof value}`);
  } catch (error) {
    return noJson(errorText(error));
  }
}

/** JSON has no bigint, so its digits become a text. */
function withDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function noJson(why: string): string {
  return `The tool has run. Its result is not JSON: ${why}`;
}

/** Prefixes in `_meta`: for values of the run itself, and for values of its starter whose names have no prefix. */
const META = { own: 'steersman/', starter: 'steersman.context/' } as const;

/** Returns the `_meta` of a call (T4). The starter's keys and the run's own can't collide. */
export function callMeta(
  context: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries([
    ...Object.entries(context).map(([key, value]) => [key.includes('/') ? key : META.starter + key, value]),
    ...Object.entries(own).map(([key, value]) => [META.own + key, value]),
  ]);
}

function contextOf(
  workspace: string,
  { signal, _meta = {}, sendNotification }: RequestHandlerExtra<ServerRequest, ServerNotification>,
): ToolContext {
  const { progressToken, ...meta } = _meta;
  const own = (name: string) => {
    const value = meta[META.own + name];
    return value === undefined ? null : String(value);
  };
  const given = Object.entries(meta).filter(([key]) => !key.startsWith(META.own));
  return {
    workspace,
    runId: own('runId') ?? '',
    idempotencyKey: own('idempotencyKey') ?? '',
    taskId: own('taskId'),
    values: Object.fromEntries(given.map(([key, value]) => [key.replace(META.starter, ''), String(value)])),
    signal,
    progress: (progress, total, message) => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total, message };
      void sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}
