/** The base of all tools: calls, results, errors as results, and the allowed folders. */

import { resolve } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { boundedText, errorText } from 'steersman/base';
import { type ErrorCode, explainError, noRun, SteersmanError } from 'steersman/client';
import { isBelow } from 'steersman/config';
import { realOrSame, terminalText } from 'steersman/shared';
import type { z } from 'zod';
import type { RunHandle, SharedClient } from './shared-client.js';

export interface ToolContext {
  client: Pick<SharedClient, 'get' | 'lostBy'>;
  /** Folder of the runs' configuration, if one was named. */
  configDir?: string;
  /** Absolute folders in which, or below which, runs may work and are shown; the first is the default. */
  workspaces: readonly string[];
  calls: Calls;
}

/** Returns the run of this id, open or ended. A run outside of the server's folders counts as unknown. */
export async function runOf({ client, workspaces }: ToolContext, id: string): Promise<RunHandle> {
  const runs = await client.get();
  const run = await runs.attach(id);
  const { workspace } = run;
  if (workspace !== null && isOwn(workspaces, workspace)) return run;
  throw new SteersmanError(noRun(runs, id), '', 'not_found');
}

export type Request = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  run(args: z.output<Input>, request: Request): Promise<z.input<Output>>;
}

/** Registers a tool. Its result is returned as structured content and the same JSON as text; errors include their remedy. */
export function addTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  { calls, client }: Pick<ToolContext, 'calls' | 'client'>,
  { name, title, description, input, output, annotations, run }: Tool<Input, Output>,
): void {
  const config = { title, description, inputSchema: input, outputSchema: output, annotations };
  // The SDK's callback type can't be resolved for a generic schema, so this cast is necessary.
  const handler = (args: unknown, request: Request) =>
    calls.track(answer(() => run(args as z.output<Input>, request), client));
  server.registerTool(name, config, handler as never);
}

async function answer(
  work: () => Promise<object>,
  client: Pick<SharedClient, 'lostBy'>,
): Promise<CallToolResult> {
  try {
    const text = JSON.stringify(await work(), withoutUnseen);
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    const known = explainError(error);
    if (known !== null) client.lostBy(known);
    const text = boundedText(known ? remedyText(known) : faultText(error));
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

/** Removes invisible characters: a person must see everything that the model reads. */
function withoutUnseen(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? terminalText(value) : value;
}

/** Remedies that name tools of this server, in place of those for the command line. */
const REMEDIES: Partial<Record<ErrorCode, string>> = {
  not_found: 'list_runs shows the runs.',
  conflict: 'It may be the one that you started: get_result tells. Otherwise give another id.',
  ended: 'get_result has its answer. start_run with `after` goes on from it.',
  open: 'watch_run waits for its end; steer_run with followUp gives it the next goal.',
  rejected: 'watch_run shows where it stands, and the gates that are open.',
  uncertain: 'Look before you repeat it: list_runs, watch_run.',
};

function remedyText({ code, message, remedy }: SteersmanError): string {
  return [message, REMEDIES[code] ?? remedy].filter(line => line !== '').join('\n');
}

function faultText(error: unknown): string {
  const message = errorText(error);
  return `${message}\nThis is a fault of Steersman itself. Please report it with what you called.`;
}

/** The calls in flight: the server lets them finish before it ends. */
export class Calls {
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();

  /** Aborted when the server ends, so that waits end early. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  track<T>(call: Promise<T>): Promise<T> {
    this.#inFlight.add(call);
    const done = () => void this.#inFlight.delete(call);
    call.then(done, done);
    return call;
  }

  /** Ends calls that only wait; resolves when every call has its result. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#inFlight);
  }
}

// The folders of a server, which a person named: its clients' runs work in or below them, and only those are shown.

/**
 * Returns the absolute path of the wanted folder, relative to the first root; that root by default. Throws a
 * SteersmanError for a folder outside of all roots, with symbolic links resolved.
 */
export function workspaceIn(roots: readonly string[], given: string | undefined): string {
  const [first = '/'] = roots;
  const path = resolve(first, given ?? '.');
  if (isOwn(roots, realOrSame(path))) return path;
  throw new SteersmanError(
    `The workspace ${path} is refused: this server starts runs in ${roots.join(', ')} only.`,
    'Leave it out, or name a folder below one of these. The person who runs the server can allow more with --workspace.',
    'usage',
  );
}

/** Resolves links in the named folders, because runs report real paths. */
export function rootsOf(named: readonly string[]): string[] {
  return named.map(realOrSame);
}

/** True if a folder is one of the named ones, or below one. */
function isOwn(named: readonly string[], real: string): boolean {
  return rootsOf(named).some(root => isBelow(real, root));
}
