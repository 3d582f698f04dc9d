/**
 * The activity that runs one tool call. A failing tool is a result, never a failed run (E1); it throws
 * only where trying again, here or on another worker, is right or must be decided by the workflow.
 */

import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { readResult } from '../blobs/read-result.js';
import { FAILURE } from '../core/failure.js';
import { badArgumentsNote, unknownToolNote } from '../core/tools/tool-notes.js';
import { READ_RESULT } from '../core/tools/tool-result.js';
import { fill, type Words, wordsOf } from '../core/words.js';
import { McpCallError } from '../mcp/call-failure.js';
import type { McpConnection } from '../mcp/connection.js';
import type { McpPool } from '../mcp/pool.js';
import type { McpSessions } from '../mcp/sessions.js';
import { SteersmanError } from '../shared/errors.js';
import { failpoint } from '../shared/failpoints.js';
import { type Line, lineOf } from './call-line.js';
import { CallPace, CONNECT_BUDGET_MS, CONNECT_TRIES } from './call-pace.js';
import { argumentErrors, isDenied } from './may-run.js';
import { type ServerRequestDeps, ServerRequests } from './server-requests.js';
import { pause, raceStop, stopReason, within } from './stop-signal.js';
import { ended } from './tool-endings.js';
import { type Beat, startHeartbeat } from './tool-heartbeat.js';
import { type ToolTextDeps, ToolTexts } from './tool-texts.js';
import type { CallToolInput, CallToolResult } from './types.js';
import { Unanswered } from './unanswered.js';

export interface CallToolDeps extends ServerRequestDeps, ToolTextDeps {
  pool: McpPool;
  sessions: McpSessions;
  /** Reads arguments too large for the input from the workflow. Fails as `state.unavailable`. */
  readArguments(callId: string): Promise<Record<string, unknown>>;
  /**
   * The real path of a folder that this worker serves, looked up for each call: who may work where is the worker's
   * to say, whatever the run's state has. @throws SteersmanError where it does not serve the folder.
   */
  openWorkspace(path: string): Promise<string>;
  /** Patterns of calls that never run on this worker, as its configuration has them now. */
  deniedTools(): Promise<readonly string[]>;
}

/**
 * Makes `steersmanCallTool`. Throws, as ApplicationFailure:
 * - `tool.timeout`, `tool.connection_lost` (retryable) for idempotent tools;
 * - `tool.not_sent` (retryable) when the worker shuts down before the request left;
 * - `worker.shutdown` when it shuts down afterwards: retryable for idempotent tools only.
 * Everything else is an ending of the result (T14).
 */
export function createCallTool(deps: CallToolDeps): (input: CallToolInput) => Promise<CallToolResult> {
  return async function steersmanCallTool(input) {
    const beat = startHeartbeat(input, deps.redact);
    try {
      return await new ToolCall(deps, input, beat).run();
    } finally {
      beat.stop();
      await failpoint('tool.completion');
    }
  };
}

/** One call on its way: arguments, connection, request. */
class ToolCall {
  readonly #deps: CallToolDeps;
  readonly #input: CallToolInput;
  readonly #beat: Beat;
  readonly #words: Words;
  readonly #signal = cancellationSignal();
  readonly #asks: ServerRequests;
  readonly #texts: ToolTexts;
  readonly #unanswered: Unanswered;
  readonly #runId = activityInfo().workflowExecution?.workflowId ?? 'none';

  constructor(deps: CallToolDeps, input: CallToolInput, beat: Beat) {
    this.#deps = deps;
    this.#input = input;
    this.#beat = beat;
    this.#words = wordsOf({ pinned: input.words ?? null });
    // Now, for what a server asks comes outside of the activity's context.
    this.#asks = new ServerRequests(deps, input, beat);
    this.#texts = new ToolTexts(deps, this.#words, this.#runId);
    const given = { words: this.#words, texts: this.#texts, signal: this.#signal };
    this.#unanswered = new Unanswered(input, given);
  }

  async run(): Promise<CallToolResult> {
    try {
      const args =
        this.#input.arguments ?? (await this.#orStop(this.#deps.readArguments(this.#input.callId)));
      if (await this.#isDenied(args, this.#input.workspace)) return this.#denied();
      return this.#input.server === null
        ? await this.#runBuiltin(args)
        : await this.#runOnServer(this.#input.server, args);
    } catch (error) {
      if (error instanceof StoppedBeforeSending) return this.#unanswered.stoppedBeforeSending();
      throw error;
    }
  }

  get #serverToolName(): string {
    return this.#input.serverToolName ?? this.#input.tool;
  }

  async #isDenied(args: Record<string, unknown>, workspace: string): Promise<boolean> {
    const deny = await this.#orStop(this.#deps.deniedTools());
    const servers = this.#deps.pool.config.servers.map(({ name }) => name);
    return isDenied(this.#input, { args, workspace }, { deny, servers });
  }

  #denied(): CallToolResult {
    return ended('denied', fill(this.#words.noteDeniedByConfiguration, { tool: this.#input.tool }));
  }

  async #runBuiltin(args: Record<string, unknown>): Promise<CallToolResult> {
    const serverToolName = this.#serverToolName;
    if (serverToolName !== READ_RESULT)
      return ended('unavailable', unknownToolNote(this.#words, serverToolName, [READ_RESULT]));
    const startedAt = performance.now();
    const result = await readResult(this.#deps.blobs, this.#runId, args);
    return { ending: 'executed', ...result, durationMs: since(startedAt) };
  }

  /** Connects and sends, again from the start where it turns out that nothing was sent. */
  async #runOnServer(server: string, args: Record<string, unknown>): Promise<CallToolResult> {
    const opened = await this.#openWorkspace();
    if ('refused' in opened) return opened.refused;
    // The server, and so the model, know the folder by its real path.
    if (opened.workspace !== this.#input.workspace && (await this.#isDenied(args, opened.workspace)))
      return this.#denied();
    const line = lineOf(this.#deps, this.#input, { server, runId: this.#runId });
    try {
      const result = line.ended(await this.#runOnLine({ line, server, workspace: opened.workspace }, args));
      const sampled = await this.#asks.end();
      return { ...result, ...(sampled && { sampled }) };
    } catch (error) {
      line.failed();
      throw await this.#asks.withUsage(error);
    }
  }

  async #runOnLine(
    { line, server, workspace }: { line: Line; server: string; workspace: string },
    args: Record<string, unknown>,
  ): Promise<CallToolResult> {
    const pace = new CallPace(this.#input.timeoutMs);
    let why = '';
    while (pace.connectMs > 0) {
      await this.#orStop(pause(pace.pauseMs));
      const connected = await this.#connect(line, workspace, pace.connectMs);
      if (connected === 'session_lost') return this.#unanswered.sessionLost(this.#words.noteSessionGone);
      if ('why' in connected) {
        why = connected.why;
        pace.unreached();
        continue;
      }
      const errors = await this.#orStop(argumentErrors(connected.connection, this.#input, args));
      if (errors.length > 0) return ended('invalid', badArgumentsNote(this.#words, errors));
      const sent = await this.#send(connected.connection, args, { line, timeoutMs: pace.requestMs });
      if ('result' in sent) return sent.result;
      why = `Tool server ${server}: ${this.#texts.shortOf(sent.notRun.message)}.`;
      if (sent.notRun.kind !== 'busy') {
        pace.unreached();
        line.discard(connected.connection);
      } else if (!pace.busy(sent.notRun.retryAfterMs)) {
        return ended('unavailable', fill(this.#words.noteBusy, { server }), { said: why });
      }
    }
    return ended('unavailable', fill(this.#words.noteUnreachable, { server, tries: CONNECT_TRIES }), {
      said: why,
    });
  }

  async #openWorkspace(): Promise<{ workspace: string } | { refused: CallToolResult }> {
    try {
      return { workspace: await this.#orStop(this.#deps.openWorkspace(this.#input.workspace)) };
    } catch (error) {
      if (!(error instanceof SteersmanError)) throw error;
      return { refused: ended('denied', fill(this.#words.noteWorkspace, { why: error.message })) };
    }
  }

  async #connect(
    line: Line,
    workspace: string,
    budgetMs: number,
  ): Promise<{ connection: McpConnection } | { why: string } | 'session_lost'> {
    const tooSlow = { why: `It took longer than ${CONNECT_BUDGET_MS / 1000} s to start.` };
    try {
      const opening = line
        .connect(workspace)
        .then(connection => (connection === null ? ('session_lost' as const) : { connection }));
      return await this.#orStop(within(budgetMs, opening, tooSlow));
    } catch (error) {
      if (error instanceof SteersmanError) return { why: this.#texts.shortOf(error.message) };
      throw error;
    }
  }

  async #send(
    connection: McpConnection,
    args: Record<string, unknown>,
    { line, timeoutMs }: { line: Line; timeoutMs: number },
  ): Promise<{ result: CallToolResult } | { notRun: McpCallError }> {
    if (this.#signal.aborted) throw new StoppedBeforeSending();
    const startedAt = performance.now();
    const stop = new AbortController();
    try {
      await failpoint('tool.before-send', () => new McpCallError('not_sent', 'failpoint'));
      const answer = await this.#orStopSent(
        stop,
        connection.callTool({ ...this.#request(args, stop.signal), timeoutMs }),
      );
      const durationMs = since(startedAt);
      await failpoint('tool.after-effect', () => new McpCallError('connection_lost', 'failpoint'));
      const result = await this.#texts.resultOf(answer, durationMs);
      const { toolsChangedAt } = connection;
      return { result: { ...result, ...(toolsChangedAt !== null && { toolsChangedAt }) } };
    } catch (error) {
      if (!(error instanceof McpCallError)) throw error;
      if (error.kind === 'not_sent' || error.kind === 'busy') return { notRun: error };
      const sent = { connection, inSession: line.bound, durationMs: since(startedAt) };
      return { result: await this.#unanswered.resultOf(error, sent) };
    }
  }

  #request(args: Record<string, unknown>, signal: AbortSignal) {
    const { progress: onProgress } = this.#beat;
    const call = { tool: this.#serverToolName, arguments: args, meta: this.#meta(), signal, onProgress };
    return { ...call, ...this.#asks.handlers() };
  }

  /** Run context for the tool (T4): keys without a namespace get ours. */
  #meta(): Record<string, string> {
    const { callId, context } = this.#input;
    const entries = Object.entries({ ...context, runId: this.#runId, callId });
    return Object.fromEntries(
      entries.map(([key, value]) => [key.includes('/') ? key : `steersman/${key}`, value]),
    );
  }

  /** Waits for work before sending; gives up at once when the activity is to stop. */
  async #orStop<T>(work: Promise<T>): Promise<T> {
    return raceStop(this.#signal, work, () => {
      throw new StoppedBeforeSending();
    });
  }

  /**
   * Waits for the answer. An idempotent call is aborted by any stop. One that is not is waited for, because
   * aborting it would leave its effect unknown; only the end of the worker cuts it short.
   */
  async #orStopSent<T>(stop: AbortController, answer: Promise<T>): Promise<T> {
    return raceStop(this.#signal, answer, () => {
      if (this.#input.idempotent) {
        stop.abort();
        return answer;
      }
      if (stopReason(this.#signal) !== 'shutdown') return answer;
      const why = 'the worker shut down while the tool ran';
      throw ApplicationFailure.nonRetryable(why, FAILURE.workerShutdown);
    });
  }
}

class StoppedBeforeSending extends Error {}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
