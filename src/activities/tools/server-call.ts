/** A call of a tool on its server: connects and sends, again from the start where it turns out that nothing was sent. */

import { hostname } from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import { MissingWorkspaceError } from '../../config/workspace.js';
import { FAILURE } from '../../core/limits/failure.js';
import { fill, type Words } from '../../core/prompts/words.js';
import { secondsOf } from '../../core/text/error-text.js';
import { badArgumentsNote } from '../../core/tools/tool-notes.js';
import { McpCallError } from '../../mcp/call-failure.js';
import { META } from '../../mcp/code-tools.js';
import type { McpCall, McpConnection } from '../../mcp/connection/connection.js';
import type { McpPool } from '../../mcp/connection/pool.js';
import type { McpSessions } from '../../mcp/connection/sessions.js';
import { SteersmanError } from '../../shared/errors.js';
import { failpoint } from '../../shared/failpoints.js';
import { pause, within } from '../stop-signal.js';
import type { CallToolInput, CallToolResult } from '../types.js';
import { type Line, lineOf } from './call-line.js';
import { CallPace } from './call-pace.js';
import type { CallStop } from './call-stop.js';
import type { CallTask } from './call-task.js';
import { lookUp } from './may-run.js';
import { formHandler, type ServerRequestDeps } from './server-requests.js';
import type { ToolTextDeps, ToolTexts } from './tool-endings.js';
import { ended } from './tool-endings.js';
import type { Beat } from './tool-heartbeat.js';
import type { Unanswered } from './unanswered.js';

export interface ServerCallDeps extends ServerRequestDeps, ToolTextDeps {
  pool: McpPool;
  sessions: McpSessions;
  /**
   * The real path of a folder that this worker serves, looked up for each call: who may work where is the worker's
   * to say, whatever the run's state has. @throws SteersmanError where it does not serve the folder.
   */
  openWorkspace(path: string): Promise<string>;
}

interface Given {
  words: Words;
  /** Workflow id. */
  runId: string;
  /** Of the activity. */
  signal: AbortSignal;
  task: CallTask;
  stop: CallStop;
  texts: ToolTexts;
  unanswered: Unanswered;
  beat: Beat;
  /** What the call says, and whether the host denies it. */
  allowed: {
    arguments(): Promise<Record<string, unknown>>;
    denied(workspace: string): Promise<CallToolResult | null>;
  };
}

interface Place {
  line: Line;
  server: string;
  /** By its real path. */
  workspace: string;
}

export class ServerCall {
  readonly #deps: ServerCallDeps;
  readonly #input: CallToolInput;
  readonly #given: Given;
  readonly #onForm: McpCall['onForm'];

  /** In the context of the activity: what a server asks comes outside of it. */
  constructor(deps: ServerCallDeps, input: CallToolInput, given: Given) {
    this.#deps = deps;
    this.#input = input;
    this.#given = given;
    this.#onForm = formHandler(deps, input);
  }

  async run(server: string): Promise<CallToolResult> {
    const { runId, task, allowed } = this.#given;
    const opened = await this.#openWorkspace();
    if ('refused' in opened) return opened.refused;
    const { workspace } = opened;
    // The server, and so the model, know the folder by its real path.
    const isOther = workspace !== this.#input.workspace && !task.ref;
    const denied = isOther ? await allowed.denied(workspace) : null;
    if (denied) return denied;
    const line = lineOf(this.#deps, this.#input, { server, runId, task: task.ref });
    const at: Place = { line, server, workspace };
    try {
      const result = await this.#runOnLine(at);
      return at.line.ended(result);
    } catch (error) {
      at.line.failed();
      throw error;
    }
  }

  async #runOnLine(at: Place): Promise<CallToolResult> {
    const { words, task, stop, texts, unanswered } = this.#given;
    const pace = new CallPace(this.#input.timeoutMs, this.#input.startTimeoutMs);
    if (task.ref) pace.begun();
    let why = '';
    while (pace.connectMs > 0) {
      await stop.before(pause(pace.pauseMs));
      const connected = await this.#connect(at, pace, why);
      if (connected === 'session_lost')
        return unanswered.sessionLost(task.ref ? words.noteSessionGoneUnknown : words.noteSessionGone);
      if ('why' in connected) {
        why = connected.why;
        pace.unreached();
        continue;
      }
      const sent = await this.#callOn(connected.connection, at, pace.requestMs);
      if ('result' in sent) return sent.result;
      const { again } = sent;
      why = `Tool server ${at.server}: ${texts.shortOf(again.message)}.`;
      if (again.kind === 'busy' && !task.ref) {
        if (pace.busy(again.retryAfterMs)) continue;
        return ended('unavailable', fill(words.noteBusy, { server: at.server }), { said: why });
      }
      if (task.ref) pace.begun();
      if (again.proof === 'not_connected') pace.lost();
      pace.unreached();
      if (again.kind !== 'task_lost') this.#leave(connected.connection, at, again);
      else {
        // The tool may be called again, as any call: an earlier try was all that was allowed until now.
        task.forget();
        this.#beginAnew(at);
        const denied = await this.#given.allowed.denied(at.workspace);
        if (denied) return denied;
      }
    }
    if (task.ref) throw unanswered.taskUnreached(why);
    const note = this.#input.idempotent ? words.noteUnreachable : words.noteUnreachableUnrun;
    return ended('unavailable', fill(note, { server: at.server, tries: pace.tries }), { said: why });
  }

  /** The next try gets another connection; a task is asked for in its own session, beside what others do there. */
  #leave(connection: McpConnection, at: Place, { reconnect }: McpCallError): void {
    const { runId, task } = this.#given;
    if (task.ref?.session !== undefined && at.line.kind === 'shared')
      at.line = lineOf(this.#deps, this.#input, { server: at.server, runId, task: task.ref });
    else if (reconnect) at.line.discard(connection);
  }

  /** A connection that goes on in a session was never told what its server offers: no call is begun there. */
  #beginAnew(at: Place): void {
    if (at.line.kind !== 'resumed') return;
    at.line.failed();
    at.line = lineOf(this.#deps, this.#input, { server: at.server, runId: this.#given.runId, task: null });
  }

  async #openWorkspace(): Promise<{ workspace: string } | { refused: CallToolResult }> {
    try {
      return { workspace: await this.#given.stop.before(this.#deps.openWorkspace(this.#input.workspace)) };
    } catch (error) {
      if (error instanceof MissingWorkspaceError) throw this.#notHere(error.message);
      if (!(error instanceof SteersmanError)) throw error;
      return { refused: ended('denied', fill(this.#given.words.noteWorkspace, { why: error.message })) };
    }
  }

  /** For another worker. */
  #notHere(why: string): ApplicationFailure {
    const { task, unanswered } = this.#given;
    const whole = `${why} No worker that was asked has it; the last was on ${hostname()}.`;
    if (task.ref) return unanswered.taskUnreached(whole);
    return ApplicationFailure.nonRetryable(whole, FAILURE.tool.noWorkspace);
  }

  async #connect(
    { line, workspace }: Place,
    { connectMs, budgetMs }: CallPace,
    given: string,
  ): Promise<{ connection: McpConnection } | { why: string } | 'session_lost'> {
    // What an earlier try met says more than that the time is up.
    const tooSlow = { why: given || `It took longer than ${secondsOf(budgetMs)} s to start.` };
    try {
      const opening = line
        .connect(workspace)
        .then(connection => (connection === null ? ('session_lost' as const) : { connection }));
      return await this.#given.stop.before(within(connectMs, opening, tooSlow));
    } catch (error) {
      if (error instanceof SteersmanError) return { why: this.#given.texts.shortOf(error.message) };
      throw error;
    }
  }

  /** `again`: why the call is to be sent, or its task to be asked for, once more. */
  async #callOn(
    connection: McpConnection,
    at: Place,
    timeoutMs: number,
  ): Promise<{ result: CallToolResult } | { again: McpCallError }> {
    const { words, task, stop, unanswered, allowed } = this.#given;
    const args = task.ref ? {} : await allowed.arguments();
    // A task was begun by a tool that was there.
    const { isListed, errors } = task.ref
      ? { isListed: true, errors: [] }
      : await stop.before(lookUp(connection, this.#input, args));
    if (errors.length > 0) return { result: ended('invalid', badArgumentsNote(words, errors)) };
    const startedAt = performance.now();
    try {
      return { result: await this.#send(connection, args, timeoutMs) };
    } catch (error) {
      if (!(error instanceof McpCallError)) throw error;
      if (this.#isMadeAgain(error, at.line)) return { again: error };
      if (error.reconnect) at.line.discard(connection);
      const sent = { isListed, inSession: at.line.kind === 'bound', durationMs: since(startedAt) };
      return { result: await unanswered.resultOf(error, sent) };
    }
  }

  #isMadeAgain({ kind, proof }: McpCallError, line: Line): boolean {
    if (proof !== null) return true;
    if (kind === 'busy') return this.#input.idempotent || this.#given.task.ref !== null;
    if (kind === 'task_lost') return this.#input.idempotent;
    const isTask = this.#given.task.ref !== null && (line.kind === 'shared' || line.kind === 'resumed');
    return kind === 'connection_lost' && isTask;
  }

  async #send(
    connection: McpConnection,
    args: Record<string, unknown>,
    timeoutMs: number,
  ): Promise<CallToolResult> {
    const { stop, texts } = this.#given;
    stop.look();
    const startedAt = performance.now();
    const abort = new AbortController();
    await failpoint(
      'tool.before-send',
      () => new McpCallError('not_begun', 'failpoint', { proof: 'not_sent' }),
    );
    const call = this.#request(args, abort.signal, timeoutMs);
    const answer = await stop.sent(abort, connection.callTool(call));
    const durationMs = since(startedAt);
    await failpoint('tool.after-effect', () => new McpCallError('connection_lost', 'failpoint'));
    const result = await texts.resultOf(answer, durationMs);
    const { toolsChangedAt } = connection;
    return { ...result, ...(toolsChangedAt !== null && { toolsChangedAt }) };
  }

  #request(args: Record<string, unknown>, signal: AbortSignal, timeoutMs: number): McpCall {
    const { tool, serverToolName = tool } = this.#input;
    const { runId, beat, task } = this.#given;
    return {
      tool: serverToolName,
      arguments: args,
      meta: metaOf(this.#input, runId),
      signal,
      timeoutMs,
      onProgress: beat.progress,
      task: task.on(this.#given.signal),
      ...(this.#onForm && { onForm: this.#onForm }),
    };
  }
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

// What a tool is told of the run that calls it.

/** Run context for the tool (T4): the starter's names and the run's own do not meet. */
function metaOf(
  { idempotencyKey, goal, taskId, context }: CallToolInput,
  runId: string,
): Record<string, string> {
  const given = Object.entries(context).map(([key, value]) => [
    key.includes('/') ? key : META.starter + key,
    value,
  ]);
  const own = Object.entries({ runId, idempotencyKey, goal: String(goal), ...(taskId && { taskId }) });
  return Object.fromEntries([...given, ...own.map(([key, value]) => [META.own + key, value])]);
}
