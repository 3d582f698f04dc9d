/** Tools that a client runs: as functions, answered while this process lives, or declared, answered by whoever comes. */

import { z } from 'zod';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord, jsonBytes } from '../../base/json/json.js';
import { GATE_ANSWER_BYTES } from '../../base/sizes/bounds.js';
import { errorText } from '../../base/text/error-text.js';
import { cutText } from '../../base/text/fit.js';
import type { ClientTool as DeclaredTool } from '../../run/tools/tool.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { isZod, schemaOfInput } from '../../shared/schema/zod-input.js';
import type { ToolOutput } from './send.js';

/** What a tool may know of the call that it answers. */
export interface ClientToolContext {
  /** Names this call and no other, of any run: for systems that do nothing twice under one key. */
  idempotencyKey: string;
  runId: string;
  /** Aborted when nobody waits for the result any more, and when the client is closed. */
  signal: AbortSignal;
}

/** A tool of a start: what `clientTool` makes, or a plain declaration whose calls wait for `submitToolResult`. */
export interface ClientTool {
  /** At most 200 characters. */
  name: string;
  /** For the model: what it does, when to use it. Default none. */
  description?: string;
  /** JSON Schema of its arguments. Default: it takes any object. */
  inputSchema?: JsonSchema;
  /** Runs a call. Throws, or rejects, where it failed: the model is told why. */
  run?(args: Record<string, unknown>, context: ClientToolContext): unknown;
}

/** Arguments as the schema gives them; with a JSON Schema they are plain data. */
type Arguments<S> = S extends z.ZodType ? z.output<S> : Record<string, unknown>;

export interface ClientToolOptions<S> {
  /** At most 200 characters; no tool of a server may have it. */
  name: string;
  /** For the model: what it does, when to use it. */
  description: string;
  /** Of its arguments: a zod 4 object schema, or a JSON Schema. Default: it takes any object. */
  input?: S;
  /**
   * Does the work, in this process. A text, or a value that becomes JSON, is what the model sees. What it throws is
   * told to the model as a failed call; the run goes on.
   */
  run(args: Arguments<S>, context: ClientToolContext): unknown;
}

/** A tool as a function, for `start({ tools })`. Arguments that do not fit a zod schema never reach it. */
export function clientTool<S extends z.ZodType | JsonSchema = JsonSchema>(
  options: ClientToolOptions<S>,
): ClientTool {
  const { name, description, input, run } = options;
  // The casts are the codec: what `input` says is what `run` is typed for.
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

/** The tools as a start request declares them. */
export function declaredTools(tools: readonly ClientTool[]): Partial<DeclaredTool>[] {
  // What is not a tool at all is judged with the rest of the request.
  return tools.map(tool => {
    if (!isRecord(tool)) return tool;
    const { run: _, ...declared } = tool;
    return declared;
  });
}

/** What is submitted for a call. */
export interface ToolOutcome {
  content: unknown;
  isError: boolean;
}

/** As much of a result as a run takes, with room for what names the call. */
const MOST_BYTES = GATE_ANSWER_BYTES - 1_000;

/** The outcome within what a run takes. What is cut is text then, with a mark that says so. */
export function boundedOutcome({ content, isError = false }: ToolOutput): ToolOutcome {
  if (jsonBytes(content) <= MOST_BYTES) return { content, isError };
  return {
    content: cutText(typeof content === 'string' ? content : JSON.stringify(content), MOST_BYTES),
    isError,
  };
}

/** Runs one call; never rejects. Null where nobody waits for the result any more. */
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

/** The value as it would be sent; undefined for none. Throws for what is no JSON, such as a circle. */
function plainJson(value: unknown): unknown {
  const json = JSON.stringify(value);
  if (json === undefined && value !== undefined)
    throw new SteersmanError('Its result is no JSON.', 'Return a text or plain data.', 'usage');
  return json === undefined ? undefined : JSON.parse(json);
}
