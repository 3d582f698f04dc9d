/** What all tools share: how they are called, what they give back, errors as results, and the folders of runs. */

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js';
import { errorText, told } from 'steersman/base';
import { type ErrorCode, explainError, noRun, SteersmanError } from 'steersman/client';
import { isBelow } from 'steersman/config';
import { terminalText } from 'steersman/shared';
import type { z } from 'zod';
import type { KeptClient, RunHandle } from './kept-client.js';

export interface ToolContext {
  client: Pick<KeptClient, 'get' | 'lostBy'>;
  /** Folder of the configuration of runs, where one was named. */
  configDir?: string;
  /** Folders that runs may work in or below, and whose runs are shown; the first is the default. Absolute. */
  workspaces: readonly string[];
  calls: Calls;
}

/** The run of this id, open or ended. One that works outside of the server's folders is as one that there is not. */
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

/** Registers a tool: its result is told as structure and as the same JSON in text, its errors with their remedy. */
export function addTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  { calls, client }: Pick<ToolContext, 'calls' | 'client'>,
  { name, title, description, input, output, annotations, run }: Tool<Input, Output>,
): void {
  const config = { title, description, inputSchema: input, outputSchema: output, annotations };
  // The SDK's own type of a callback can't be followed for a schema that is a parameter: this is the codec.
  const handler = (args: unknown, request: Request) =>
    calls.track(answer(() => run(args as z.output<Input>, request), client));
  server.registerTool(name, config, handler as never);
}

async function answer(
  work: () => Promise<object>,
  client: Pick<KeptClient, 'lostBy'>,
): Promise<CallToolResult> {
  try {
    const text = JSON.stringify(await work(), withoutUnseen);
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    const known = explainError(error);
    if (known !== null) client.lostBy(known);
    const text = told(known ? remedyText(known) : faultText(error));
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

/** A person reads along: nothing in foreign texts is for the model alone. */
function withoutUnseen(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? terminalText(value) : value;
}

/** Remedies that are tools here, in place of those for people at a command line. */
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

/** The calls in flight: whoever ends the server lets them finish. */
export class Calls {
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();

  /** Aborted when no more is asked: waits end early. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  track<T>(call: Promise<T>): Promise<T> {
    this.#inFlight.add(call);
    const done = () => void this.#inFlight.delete(call);
    call.then(done, done);
    return call;
  }

  /** Ends what only waits; resolves when every call has its result. */
  async end(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#inFlight);
  }
}

// The folders of a server, which a person named: runs of its clients work in them or below, and theirs are those that do.

/**
 * The absolute path of the folder that was asked for, relative to the first of the roots; that root where none was.
 * Throws a SteersmanError for a folder outside of all, symbolic links followed.
 */
export function workspaceIn(roots: readonly string[], given: string | undefined): string {
  const [first = '/'] = roots;
  const path = resolve(first, given ?? '.');
  if (isOwn(roots, realOrSame(path))) return path;
  throw new SteersmanError(
    `The workspace ${path} is refused: this server starts runs in ${roots.join(', ')} only.`,
    'Leave it out, or name a folder below. Whoever runs the server may allow more folders with --workspace.',
    'usage',
  );
}

/** Where those lead that were named: the folders of runs are told so. */
export function rootsOf(named: readonly string[]): string[] {
  return named.map(realOrSame);
}

/** Whether a folder is one of those that were named, or below it. */
function isOwn(named: readonly string[], real: string): boolean {
  return rootsOf(named).some(root => isBelow(real, root));
}

/** Another machine's folder is not here: its worker has the word. */
function realOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
