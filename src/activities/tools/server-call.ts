/** Calls a tool on its server: connects and sends, and repeats if nothing was sent. */

import { hostname } from 'node:os';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isRecord } from '../../base/json/json.js';
import { secondsOf } from '../../base/text/error-text.js';
import { fill } from '../../base/words/words.js';
import { MissingWorkspaceError } from '../../config/files/workspace.js';
import { badArgumentsNote } from '../../conversation/tool-notes.js';
import { McpCallError } from '../../mcp/connection/call-failure.js';
import type { McpCall, McpConnection } from '../../mcp/connection/connection.js';
import type { McpPool } from '../../mcp/connection/pool.js';
import { takesTasksOnly } from '../../mcp/connection/server-tools.js';
import type { McpSessions } from '../../mcp/connection/sessions.js';
import { callMeta, mayCallAgain, STOPPABLE_META, saysStopped } from '../../mcp/tools/code-tools.js';
import type { ToolAnswer } from '../../mcp/tools/tool-answer.js';
import { FAILURE } from '../../run/limits/failure.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { failpoint } from '../../shared/process/failpoints.js';
import { isUsableSchema, validateArguments } from '../../shared/schema/validate-arguments.js';
import { raceStop, within } from '../../shared/waits.js';
import type { HostDeps } from '../check-call.js';
import { isUnwanted, pause, StoppedBeforeSending, stopReason, unlessStopped } from '../stop-signal.js';
import type { CallToolInput, CallToolResult } from '../types.js';
import { CallPace } from './call-pace.js';
import { withChanges } from './command-changes.js';
import { linkOf, type ServerLink } from './server-link.js';
import { formHandler, type ServerRequestDeps } from './server-requests.js';
import { beginReading, storeForApp } from './tool-app.js';
import { ended, sessionLost, type ToolCall, type ToolTextDeps, unanswered } from './tool-endings.js';
import type { Beat } from './tool-heartbeat.js';

export interface ServerCallDeps extends ServerRequestDeps, ToolTextDeps, Pick<HostDeps, 'openWorkspace'> {
  pool: McpPool;
  sessions: McpSessions;
}

export interface Allowed {
  args: Record<string, unknown>;
  denied(workspace: string): Promise<CallToolResult | null>;
}

/** The time for the list of tools, if it must be requested. */
const LIST_BUDGET_MS = 5_000;
/** The time for a stopped tool to end its work and report it. */
const STOP_MS = 10_000;

export class ServerCall {
  readonly #deps: ServerCallDeps;
  readonly #call: ToolCall;
  readonly #beat: Beat;
  readonly #server: string;
  readonly #onForm: McpCall['onForm'];

  /** Created in the activity's context, because a server's questions arrive outside of it. */
  constructor(deps: ServerCallDeps, call: ToolCall, beat: Beat) {
    this.#deps = deps;
    this.#call = call;
    this.#beat = beat;
    this.#server = call.input.server ?? '';
    this.#onForm = formHandler(deps, call.input);
  }

  async run({ args, denied }: Allowed): Promise<CallToolResult> {
    const { input, runId, words } = this.#call;
    let workspace: string;
    try {
      workspace = await unlessStopped(this.#call.signal, this.#deps.openWorkspace(input.workspace));
    } catch (error) {
      if (error instanceof MissingWorkspaceError) throw notHere(error.message);
      if (!(error instanceof SteersmanError)) throw error;
      return ended('denied', fill(words.noteWorkspace, { why: error.message }));
    }
    // Server and model know the folder by its real path.
    const refused = workspace === input.workspace ? null : await denied(workspace);
    if (refused) return refused;
    const line = linkOf(this.#deps, input, { server: this.#server, runId });
    try {
      const called = await withChanges(input, { args, workspace }, () =>
        this.#runOnLine(line, workspace, args),
      );
      return line.ended(called);
    } catch (error) {
      line.failed();
      throw error;
    }
  }

  async #runOnLine(line: ServerLink, workspace: string, args: Allowed['args']): Promise<CallToolResult> {
    const { input, words, signal, texts } = this.#call;
    const server = this.#server;
    const pace = new CallPace(input.timeoutMs, input.startTimeoutMs);
    let why = '';
    while (pace.connectMs > 0) {
      await unlessStopped(signal, pause(pace.pauseMs));
      const connected = await this.#connect(line, workspace, pace, why);
      if (connected === 'session_lost') return sessionLost(this.#call, words.noteSessionGone);
      if ('why' in connected) {
        why = connected.why;
        pace.unreached();
        continue;
      }
      const sent = await this.#callOn(connected.connection, line, args, pace.requestMs);
      if ('result' in sent) return sent.result;
      const { again } = sent;
      why = `Tool server ${server}: ${texts.shortOf(again.message)}.`;
      if (again.kind === 'busy') {
        if (pace.busy(again.retryAfterMs)) continue;
        return ended('unavailable', fill(words.noteBusy, { server }), { said: why });
      }
      if (again.proof === 'not_connected') pace.lost();
      pace.unreached();
      // The next attempt gets another connection.
      if (again.reconnect) line.discard(connected.connection);
    }
    const note = input.idempotent ? words.noteUnreachable : words.noteUnreachableUnrun;
    return ended('unavailable', fill(note, { server, tries: pace.tries }), { said: why });
  }

  async #connect(
    line: ServerLink,
    workspace: string,
    { connectMs, budgetMs }: CallPace,
    given: string,
  ): Promise<{ connection: McpConnection } | { why: string } | 'session_lost'> {
    // The earlier attempt's error is more precise than the timeout.
    const tooSlow = { why: given || `It took longer than ${secondsOf(budgetMs)} s to start.` };
    try {
      const opening = line
        .connect(workspace)
        .then(connection => (connection === null ? ('session_lost' as const) : { connection }));
      return await unlessStopped(this.#call.signal, within(connectMs, opening, tooSlow));
    } catch (error) {
      if (error instanceof SteersmanError) return { why: this.#call.texts.shortOf(error.message) };
      throw error;
    }
  }

  /** `again`: why the call must be sent once more. */
  async #callOn(
    connection: McpConnection,
    line: ServerLink,
    args: Allowed['args'],
    timeoutMs: number,
  ): Promise<{ result: CallToolResult } | { again: McpCallError }> {
    const { input, words, signal } = this.#call;
    const { isListed, tasksOnly, errors } = await unlessStopped(signal, lookUp(connection, input, args));
    if (tasksOnly) return { result: ended('unavailable', words.noteTasksOnly) };
    if (errors.length > 0) return { result: ended('invalid', badArgumentsNote(words, errors)) };
    const startedAt = performance.now();
    try {
      return { result: await this.#send(connection, args, timeoutMs) };
    } catch (error) {
      if (!(error instanceof McpCallError)) throw error;
      if (error.proof !== null || (error.kind === 'busy' && input.idempotent)) return { again: error };
      if (error.reconnect) line.discard(connection);
      const sent = { isListed, inSession: line.kind === 'bound', durationMs: since(startedAt) };
      return { result: await unanswered(this.#call, error, sent) };
    }
  }

  async #send(connection: McpConnection, args: Allowed['args'], timeoutMs: number): Promise<CallToolResult> {
    const { input, runId, signal, texts } = this.#call;
    const { context, idempotencyKey, goal, taskId } = input;
    if (signal.aborted) throw new StoppedBeforeSending();
    const startedAt = performance.now();
    const abort = new AbortController();
    await failpoint(
      'tool.before-send',
      () => new McpCallError('not_begun', 'failpoint', { proof: 'not_sent' }),
    );
    const call: McpCall = {
      tool: input.serverToolName ?? input.tool,
      arguments: args,
      meta: callMeta(context, { runId, idempotencyKey, goal: String(goal), ...(taskId && { taskId }) }),
      signal: abort.signal,
      timeoutMs,
      onProgress: this.#beat.progress,
      ...(this.#onForm && { onForm: this.#onForm }),
    };
    const reading = beginReading(connection, input);
    const asked = connection.callTool(call);
    const answer = await this.#answered(abort, asked, () => this.#stopOn(connection, abort, asked));
    const durationMs = since(startedAt);
    // Like an activity that is a tool, a function that throws is called again as often as its policy says (CF3).
    if (input.idempotent && mayCallAgain(this.#server, answer.meta) && isTriedAgain())
      throw ApplicationFailure.retryable(texts.shortOf(textOfAnswer(answer)), FAILURE.tool.threw);
    await failpoint('tool.after-effect', () => new McpCallError('connection_lost', 'failpoint'));
    const result = endOf(await texts.resultOf(answer, durationMs), answer, this.#call);
    const forApp = await storeForApp(input, answer, reading, texts.keep);
    const { toolsChangedAt } = connection;
    return { ...result, ...forApp, ...(toolsChangedAt !== null && { toolsChangedAt }) };
  }

  /**
   * Any stop aborts an idempotent call, and notifies a tool that ends its work when asked (WK1). Other calls are waited
   * for, because aborting them leaves their effect unknown; only the worker's end cuts them short.
   */
  #answered<T>(abort: AbortController, answer: Promise<T>, stop: () => Promise<void>): Promise<T> {
    const { input, signal } = this.#call;
    return raceStop(signal, answer, () => {
      if (input.idempotent) abort.abort();
      else if (input.stoppable && isUnwanted(signal)) void stop();
      else if (stopReason(signal) === 'shutdown')
        throw ApplicationFailure.nonRetryable(
          'the worker shut down while the tool ran',
          FAILURE.workerShutdown,
        );
      return answer;
    });
  }

  /** Steersman's own tools still answer with their progress; other servers send no answer. */
  async #stopOn(connection: McpConnection, abort: AbortController, asked: Promise<unknown>): Promise<void> {
    const { idempotencyKey, tool, serverToolName = tool } = this.#call.input;
    const listed = await connection.findTool(serverToolName).catch(() => undefined);
    if (isRecord(listed?._meta) && listed._meta[STOPPABLE_META] === true) {
      await connection.tellStop(idempotencyKey);
      await within(STOP_MS, asked, null).catch(() => null);
    }
    abort.abort();
  }
}

/** True unless this is the last attempt of the activity. */
function isTriedAgain(): boolean {
  const { attempt, retryPolicy } = activityInfo();
  return attempt < (retryPolicy?.maximumAttempts ?? 1);
}

function textOfAnswer({ content }: ToolAnswer): string {
  return content.map(part => (part.type === 'text' ? part.text : '')).join('\n');
}

/** The result has the stopped tool's output so far; its effects so far were not checked. */
function endOf(result: CallToolResult, { meta }: ToolAnswer, { words }: ToolCall): CallToolResult {
  if (!saysStopped(meta)) return result;
  return { ...result, ending: 'outcome_unknown', note: words.noteStopped };
}

function notHere(why: string): ApplicationFailure {
  const whole = `${why} No worker that was asked has it; the last was on ${hostname()}.`;
  return ApplicationFailure.nonRetryable(whole, FAILURE.tool.noWorkspace);
}

/**
 * Tells if the server lists the tool before the call, if only as a task, and the faults of its arguments. If the list is unavailable, the
 * tool counts as listed, which proves nothing, and the server judges the arguments.
 */
async function lookUp(
  connection: McpConnection,
  { tool, serverToolName = tool, checked }: CallToolInput,
  args: Allowed['args'],
): Promise<{ isListed: boolean; tasksOnly: boolean; errors: string[] }> {
  const asked = connection.findTool(serverToolName).catch(() => null);
  const found = await within(LIST_BUDGET_MS, asked, null);
  const schema = checked && found?.inputSchema;
  return {
    isListed: found !== undefined,
    tasksOnly: found != null && takesTasksOnly(found),
    errors: isUsableSchema(schema) ? validateArguments(schema, args) : [],
  };
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
