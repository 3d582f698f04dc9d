/** Tools that a worker's program gives as functions. They are served in this process over MCP, like all tools. */

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

/** How these tools are called as a server: `.mcp.json` may not have one of this name. */
export const CODE_SERVER = 'in-code';

/** What a tool may know of the call that it answers. */
export interface ToolContext {
  /** The run's folder, its real path on this host. */
  workspace: string;
  /** Workflow id of the run. */
  runId: string;
  /** Names this call and no other, of any run, in every try: for systems that do nothing twice under one key. */
  idempotencyKey: string;
  /** The task of the plan that it is for; null outside of one. */
  taskId: string | null;
  /** What the run was started with as `context`. */
  values: Readonly<Record<string, string>>;
  /**
   * Aborted when nobody waits for the answer any more: by a stop (idempotent and stoppable tools), the time limit, the
   * worker's end.
   */
  signal: AbortSignal;
  /** Tells whoever watches how far it is. */
  progress(done: number, total?: number, message?: string): void;
}

/** Arguments as the schema gives them; with a JSON Schema they are plain data that fits it. */
type Arguments<S> = S extends z.ZodType ? z.output<S> : Record<string, unknown>;

export interface ToolOptions<S> {
  /** What models call it: letters, digits, `_` and `-`, at most 64. It is kept as it is. */
  name: string;
  /** For the model: what it does, when to use it. */
  description: string;
  /** Of its arguments: a zod 4 object schema, or a JSON Schema. Default: it takes none. */
  input?: S;
  /** It changes nothing: it runs without asking a person, and is tried again. Default false. */
  readOnly?: boolean;
  /** Running it twice does what running it once does: it is tried again. Default: as `readOnly`. */
  idempotent?: boolean;
  /** It may destroy what was there, which its approval says. Default: whatever is not read-only may. */
  destructive?: boolean;
  /** How long a call may take, unless the configuration says it. Default: as all tools, 60,000. */
  timeoutMs?: number;
  /**
   * It ends its work when `signal` is aborted, also where it may have had an effect by then. A stop then aborts it, and
   * what it throws is the result of a call whose outcome is not known. Default false: a stop waits for its end.
   */
  stoppable?: boolean;
  /**
   * Does the work. A text, or a value that becomes JSON, is what the model sees. What it throws is told to the model
   * as a failed call; the run goes on.
   */
  run(args: Arguments<S>, context: ToolContext): unknown;
}

/** A tool that is ready to be served: what `defineTool` makes. */
export interface CodeTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  readOnly: boolean;
  idempotent: boolean;
  /** Absent: it may, unless it is read-only. */
  destructive?: boolean;
  /** Absent: as all tools. */
  timeoutMs?: number;
  /** Absent: a stop waits for its end, unless it may be repeated. */
  stoppable?: boolean;
  run(args: unknown, context: ToolContext): unknown;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const POLICY_KEYS = ['readOnly', 'idempotent', 'destructive', 'timeoutMs', 'stoppable', 'run'];
const OPTION_KEYS = ['name', 'description', 'input', ...POLICY_KEYS];
export const CODE_TOOL_KEYS = ['name', 'description', 'inputSchema', ...POLICY_KEYS];

/**
 * Makes a tool of a function. Permission, retries, the ledger of results and time limits are those of any tool: a
 * call that may have had an effect when its worker died is told to the model as unknown, and is not run again.
 * @throws SteersmanError for a name that models could not call, for a schema that is none, and for keys that mean
 * nothing.
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
 * The steps of a tool's `run`, in order. Only a failure of the first proves that the function was not called.
 * A `run` of somebody's own, around such a one too, has no steps.
 */
const STEPS = new WeakMap<CodeTool['run'], Steps>();

/** @throws SteersmanError for a name that models could not call. */
export function checkToolName(name: string): void {
  if (NAME.test(name)) return;
  throw new SteersmanError(
    `The tool name ${JSON.stringify(name)} can not be used.`,
    'Use letters, digits, "_" and "-", 64 at most.',
  );
}

/** The tool. @throws SteersmanError for an unknown key: a misspelt `readOnly` would otherwise go unnoticed. */
export function checkToolKeys<T extends { name: string }>(tool: T, known: readonly string[]): T {
  const unknown = Object.keys(tool).filter(key => !known.includes(key));
  if (unknown.length === 0) return tool;
  const texts = unknown.map(key => unknownKeyText(`The tool ${tool.name}`, [key], known));
  throw new SteersmanError(texts.join('\n'), `Take it out: a tool has ${known.join(', ')}.`);
}

/** What models are told of the arguments, and how they are read. @throws SteersmanError for what is no schema. */
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

/** A required argument with a default may be left out of a call; the function gets the default. */
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
    `The input of the tool ${name} is no schema of an object.`,
    'Give z.object({ … }) of zod 4, or a JSON Schema of the type "object".',
  );
}

/** The run has checked the arguments by the JSON Schema: this fills defaults in, and checks what that can't say. */
function parseBy(schema: z.ZodType, args: unknown): unknown {
  const { success, data, error } = schema.safeParse(args);
  if (success) return data;
  const faults = error.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'arguments'}: ${message}`,
  );
  throw new Error(faults.join('; '));
}

/** @throws SteersmanError where two have one name. */
export function checkCodeTools(tools: readonly Pick<CodeTool, 'name'>[]): void {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new SteersmanError(`Two tools in code are called ${twice}.`, 'Give each a name of its own.');
  }
}

/** Serves the tools for one workspace; returns the client's end. */
export async function serveCodeTools(
  tools: readonly CodeTool[],
  workspace: string,
): Promise<InMemoryTransport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await codeToolServer(tools, workspace).connect(theirs);
  return ours;
}

/** A server of the protocol with these tools; it is connected by who makes it. */
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

/** Unlike the cancellation of the protocol it asks for an answer: what was done until then. */
export const STOP_METHOD = 'notifications/steersman/stop';
const stopNotification = z.object({
  method: z.literal(STOP_METHOD),
  params: z.looseObject({ idempotencyKey: z.string() }),
});

/** Of a listed tool: how long its calls may take. The protocol has no field for it. */
export const TIMEOUT_META = 'steersman/timeoutMs';
/** Of a listed tool: it answers `STOP_METHOD`. */
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

/**
 * Says with a refusal that the function was not called. The SDK has the same code for a result that it does not like.
 */
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
    return {
      content: [{ type: 'text', text: errorText(error) }],
      isError: true,
      ...(stopped && { _meta: { [STOPPED_META]: true } }),
    };
  }
}

/** Of an answer: the tool was stopped before it had done all. */
const STOPPED_META = 'steersman/stopped';

export function saysStopped(meta: unknown): boolean {
  return isRecord(meta) && meta[STOPPED_META] === true;
}

/** A result of parts as the protocol has them, such as a picture. */
export class Parts {
  readonly content: CallToolResult['content'];

  constructor(content: CallToolResult['content']) {
    this.content = content;
  }
}

/** A text as it is, any other value as JSON. For other values the result says that the tool has run. */
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

/** JSON has no integers of this kind: their digits stand there as a text. */
function withDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function noJson(why: string): string {
  return `The tool has run. Its result is no JSON: ${why}`;
}

/** Namespaces of `_meta`: what the run tells of itself, and what its starter gave under a name without one. */
export const META = { own: 'steersman/', starter: 'steersman.context/' } as const;

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
