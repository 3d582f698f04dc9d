/**
 * Calls as tasks of their server (MCP 2025-11-25). It answers a call at once with an id, works on by itself, and gives
 * the result to whoever names the id, also after the connection, or the worker that made the call, is gone. Tasks are
 * experimental in the protocol and in the SDK, so nothing else knows their form: a change of it is a change of this file.
 */
import { RELATED_TASK_META_KEY, type ServerCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { isTaskId, type TaskRef } from '../../core/limits/heartbeats.js';
import { isRecord } from '../../core/text/json.js';
import { RPC } from '../../core/tools/effect.js';
import { type CallFailureKind, McpCallError } from '../call-failure.js';
import { readToolAnswer, type ToolAnswer, toolAnswerSchema } from '../tool-answer.js';
import type { AskOptions, Requests } from './requests.js';
import type { ListedTool } from './tool-list.js';

/** A call that may go on as a task. */
export interface TaskCall {
  /** The task of an earlier try: it is asked for, and nothing is called. */
  known: TaskRef | null;
  /** How long the server is asked to keep the result, milliseconds from the beginning. */
  ttlMs: number;
  /** Told at once, with what a later try needs. */
  onBegun(task: TaskRef): void;
  /** What the server says of how it stands. */
  onStatus(message: string): void;
  /** Whether a call that is given up leaves its task to a later try. Else the server is told to cancel it. */
  isLeft(): boolean;
}

/** The connection that a task is asked for over. */
interface TaskLine {
  requests: Requests;
  /** Of the server, over HTTP. */
  session: string | undefined;
  /** As of the call itself, which `over` ends: given up, or out of its time. */
  options: AskOptions & { over: AbortSignal };
}

/** Whether a server takes calls of tools as tasks; without it their own word for it does not count. */
export function takesTasks(capabilities: ServerCapabilities | undefined): boolean {
  return capabilities?.tasks?.requests?.tools?.call !== undefined;
}

/** Also where it need not be one: a task outlives the worker that asked for it. */
export function runsAsTask({ execution }: ListedTool): boolean {
  return execution?.taskSupport === 'required' || execution?.taskSupport === 'optional';
}

/** The task that a request of the server is about; null where it names none. */
export function relatedTask({ _meta }: { _meta?: unknown }): string | null {
  const related = isRecord(_meta) ? _meta[RELATED_TASK_META_KEY] : null;
  return isRecord(related) && typeof related.taskId === 'string' ? related.taskId : null;
}

const stateSchema = z.looseObject({
  status: z.string(),
  statusMessage: z.string().optional().catch(undefined),
  pollInterval: z.number().optional().catch(undefined),
});
const begunSchema = z.looseObject({
  task: stateSchema.extend({ taskId: z.string() }).optional().catch(undefined),
});
type TaskState = z.infer<typeof stateSchema>;

/** Where the server does not say how often it wants to be asked, and between which bounds it may. */
const POLL_MS = 1_000;
const LEAST_POLL_MS = 100;
const MOST_POLL_MS = 10_000;
/** Of requests in a row that are not answered. */
const MOST_FAULTS = 5;
/** Of the word that nobody wants it any more. */
const CANCEL_MS = 2_000;

/** Codes of a server that has no such task, or no tasks. */
const NO_TASK: ReadonlySet<number | undefined> = new Set(Object.values(RPC));

/** Makes a call as a task, or takes up the one that is known. @throws McpCallError. */
export async function callAsTask(
  line: TaskLine,
  call: TaskCall,
  params: Record<string, unknown>,
): Promise<ToolAnswer> {
  if (call.known) return new Followed(line, call, call.known.id).result(null);
  const asked = { method: 'tools/call', params: { ...params, task: { ttl: call.ttlMs } } };
  const answer = await line.requests.ask(asked, toolAnswerSchema, line.options);
  const { task } = begunSchema.parse(answer);
  // It made an ordinary call of it.
  if (task === undefined) return readToolAnswer(answer);
  const { taskId: id } = task;
  const isKept = isTaskId(id);
  if (isKept) call.onBegun({ id, ...(isTaskId(line.session) && { session: line.session }) });
  return new Followed(line, call, id).result(task).catch(error => {
    // Of one that nobody can ask for again, no failure says that nothing was called.
    if (isKept || !(error instanceof McpCallError) || !['not_begun', 'busy'].includes(error.kind))
      throw error;
    throw new McpCallError('connection_lost', error.message);
  });
}

/** A task that is asked for until its result is there. */
class Followed {
  readonly #line: TaskLine;
  readonly #call: TaskCall;
  readonly #params: { taskId: string };
  /** Requests in a row that were not answered. */
  #faults = 0;
  /** As the server last said. */
  #status = '';
  #pollInterval: number | undefined;

  constructor(line: TaskLine, call: TaskCall, taskId: string) {
    this.#line = line;
    this.#call = call;
    this.#params = { taskId };
  }

  /** `begun`: how it stood at its beginning. */
  async result(begun: TaskState | null): Promise<ToolAnswer> {
    const { over } = this.#line.options;
    try {
      for (let state = begun ?? (await this.#state()); ; state = await this.#state()) {
        const answer = state && (await this.#resultAt(state));
        if (answer) return readToolAnswer(answer);
        await pause(pollMs(this.#pollInterval, this.#faults), over);
      }
    } catch (error) {
      // One that is left goes on; one that nobody wants any more does not.
      if (over.aborted && !this.#call.isLeft()) await this.#cancel();
      throw error;
    }
  }

  /** Null where it is too early. */
  async #resultAt({ status, statusMessage = '', pollInterval }: TaskState) {
    this.#status = status;
    this.#pollInterval = pollInterval;
    if (statusMessage !== '') this.#call.onStatus(statusMessage);
    if (status === 'cancelled') throw lost(`its server cancelled it. ${statusMessage}`);
    if (status === 'working') return null;
    // What it wants of a person or a model comes while its result is waited for.
    const { onProgress: _, ...waiting } = this.#line.options;
    return this.#ask('tasks/result', toolAnswerSchema, waiting, ['busy', 'connection_lost']);
  }

  /** Null where the server did not say. */
  async #state(): Promise<TaskState | null> {
    const { over } = this.#line.options;
    const passing: CallFailureKind[] = ['busy', 'connection_lost', 'rejected'];
    return this.#ask('tasks/get', stateSchema, { over }, passing).catch(error => {
      const refused = error instanceof McpCallError && error.kind === 'rejected';
      throw refused ? new McpCallError('connection_lost', error.message) : error;
    });
  }

  /** Null where the server may answer the next time: after a failure of one of the kinds. */
  async #ask<T extends z.ZodType>(
    method: string,
    answer: T,
    options: AskOptions,
    passing: readonly CallFailureKind[],
  ): Promise<z.output<T> | null> {
    const { requests } = this.#line;
    try {
      const answered = await requests.ask({ method, params: this.#params }, answer, options);
      this.#faults = 0;
      return answered;
    } catch (error) {
      if (!(error instanceof McpCallError)) throw error;
      // Of a task that has failed it may be what became of the call: a refusal of the tool's own.
      const isOfTool = method === 'tasks/result' && this.#status === 'failed';
      if (NO_TASK.has(error.code) && !isOfTool) throw lost(error.message);
      if (requests.areOver || this.#faults >= MOST_FAULTS || !passing.includes(error.kind)) throw error;
      this.#faults += 1;
      return null;
    }
  }

  async #cancel(): Promise<void> {
    const asked = { method: 'tasks/cancel', params: this.#params };
    await this.#line.requests.ask(asked, z.unknown(), { timeoutMs: CANCEL_MS }).catch(() => undefined);
  }
}

function lost(why: string): McpCallError {
  return new McpCallError('task_lost', why.trim());
}

/** How long the server is left alone, milliseconds. `faults`: requests in a row that it did not answer. */
export function pollMs(asked: number | undefined, faults: number): number {
  return Math.min(MOST_POLL_MS, Math.max(LEAST_POLL_MS, asked ?? POLL_MS) * 2 ** faults);
}

/** Shorter where the call is over. */
function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      over.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    over.addEventListener('abort', done);
    if (over.aborted) done();
  });
}
