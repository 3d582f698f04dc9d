/** Tools that a client runs: functions, which answer while this process lives, or declarations, which any client answers. */

import { z } from 'zod';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord, jsonBytes } from '../../base/json/json.js';
import { GATE_ANSWER_BYTES } from '../../base/sizes/bounds.js';
import { errorText } from '../../base/text/error-text.js';
import { cutText } from '../../base/text/fit.js';
import type { ClientTool as DeclaredTool } from '../../run/tools/tool.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { isZod, schemaOfInput } from '../../shared/schema/zod-input.js';

/** Facts about the call that a tool answers. */
export interface ClientToolContext {
  /** Identifies this call among all runs: for systems that perform each key only once. */
  idempotencyKey: string;
  runId: string;
  /** The `context` of the start, or of `attach`. */
  values: Readonly<Record<string, string>>;
  /** Aborted when the result is no longer needed, and when the client is closed. */
  signal: AbortSignal;
}

/** A tool of a start: made by `clientTool`, or a declaration whose calls wait for `submitToolResult`. */
export interface ClientTool {
  /** At most 200 characters. */
  name: string;
  /** A description for the model: what it does, when to use it. Default: empty. */
  description?: string;
  /** JSON Schema of its arguments. Default: any object. */
  inputSchema?: JsonSchema;
  /** Runs a call. Throws, or rejects, if it failed: the model receives the error. */
  run?(args: Record<string, unknown>, context: ClientToolContext): unknown;
}

/** Arguments in the schema's output type; with a JSON Schema they are plain data. */
type Arguments<S> = S extends z.ZodType ? z.output<S> : Record<string, unknown>;

export interface ClientToolOptions<S> {
  /** At most 200 characters; it must differ from the names of servers' tools. */
  name: string;
  /** A description for the model: what it does, when to use it. */
  description: string;
  /** Schema of its arguments: a zod 4 object schema, or a JSON Schema. Default: any object. */
  input?: S;
  /**
   * Runs a call in this process. The model sees the returned text, or the value as JSON. An error becomes a failed call
   * for the model; the run continues.
   */
  run(args: Arguments<S>, context: ClientToolContext): unknown;
}

/** Creates a tool from a function, for `start({ tools })`. Arguments that do not match a zod schema never reach it. */
export function clientTool<S extends z.ZodType | JsonSchema = JsonSchema>(
  options: ClientToolOptions<S>,
): ClientTool {
  const { name, description, input, run } = options;
  // The casts are the codec: `input` determines the argument type of `run`.
  if (!isZod(input)) {
    const plain: Pick<ClientTool, 'inputSchema'> =
      input === undefined ? {} : { inputSchema: input as JsonSchema };
    return { name, description, ...plain, run: (args, context) => run(args as Arguments<S>, context) };
  }
  return {
    name,
    description,
    inputSchema: schemaOfInput(input),
    run: async (args, context) => {
      const read = await input.safeParseAsync(args);
      if (!read.success) throw new Error(`The arguments do not fit: ${z.prettifyError(read.error)}`);
      return run(read.data as Arguments<S>, context);
    },
  };
}

/** Returns the tools as a start request declares them. */
export function declaredTools(tools: readonly ClientTool[]): Partial<DeclaredTool>[] {
  // A value that is not a tool at all is validated with the rest of the request.
  return tools.map(tool => {
    if (!isRecord(tool)) return tool;
    const { run: _, ...declared } = tool;
    return declared;
  });
}

/** The submitted result of a call. */
export interface ToolOutcome {
  content: unknown;
  isError: boolean;
}

/** The limit of a run for a result, with room for the call's names. */
const MOST_BYTES = GATE_ANSWER_BYTES - 1_000;

/** Limits the outcome to the size that a run accepts; a longer one becomes a text with a mark. */
export function boundedOutcome({ content, isError = false }: ToolOutput): ToolOutcome {
  if (jsonBytes(content) <= MOST_BYTES) return { content, isError };
  return {
    content: cutText(typeof content === 'string' ? content : JSON.stringify(content), MOST_BYTES),
    isError,
  };
}

/** Runs a call; never rejects. Returns null if the result is no longer needed. */
export async function runClientTool(
  { name, run }: ClientTool,
  args: Record<string, unknown>,
  context: ClientToolContext,
): Promise<ToolOutcome | null> {
  try {
    const value = await run?.(args, context);
    return context.signal.aborted ? null : { content: plainJson(value) ?? 'done', isError: false };
  } catch (error) {
    const why = errorText(error);
    return context.signal.aborted ? null : { content: `${name} failed: ${why}`, isError: true };
  }
}

/** Returns the value as it would be sent; undefined for no value. Throws for non-JSON, such as a circular value. */
function plainJson(value: unknown): unknown {
  const json = JSON.stringify(value);
  if (json === undefined && value !== undefined)
    throw new SteersmanError('Its result is not JSON.', 'Return a text or plain data.', 'usage');
  return json === undefined ? undefined : JSON.parse(json);
}

/** The result of a client's tool: a text, blocks of tool content or any JSON. */
export interface ToolOutput {
  content: unknown;
  /** Default false. */
  isError?: boolean;
}
