/**
 * The activity that runs one tool call. A failing tool is a result, never a failed run (E1); it throws
 * only where trying again, here or on another worker, is right or must be decided by the workflow.
 */

import { homedir } from 'node:os';
import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { BlobStore } from '../blobs/blob-store.js';
import { readResult } from '../blobs/read-result.js';
import { FAILURE } from '../core/failure.js';
import { headChars } from '../core/large-text.js';
import { readPattern } from '../core/tools/argument-pattern.js';
import { matchesCall } from '../core/tools/permission.js';
import { badArgumentsNote, unknownToolNote, unreadablePartsNote } from '../core/tools/tool-notes.js';
import { READ_RESULT } from '../core/tools/tool-result.js';
import { fill, type Words, wordsOf } from '../core/words.js';
import { McpCallError } from '../mcp/call-failure.js';
import type { McpConnection } from '../mcp/connection.js';
import type { McpPool } from '../mcp/pool.js';
import {
  boundText,
  contentWithoutStore,
  keeperFor,
  type ResultSizes,
  toToolContent,
} from '../mcp/result-content.js';
import type { McpSessions } from '../mcp/sessions.js';
import type { ToolAnswer } from '../mcp/tool-answer.js';
import { possibleNames } from '../mcp/tool-names.js';
import { isUsableSchema, validateArguments } from '../schema/validate-arguments.js';
import { SteersmanError } from '../shared/errors.js';
import { failpoint } from '../shared/failpoints.js';
import { type Line, lineOf } from './call-line.js';
import { CallPace, CONNECT_BUDGET_MS, CONNECT_TRIES } from './call-pace.js';
import { type ServerRequestDeps, ServerRequests } from './server-requests.js';
import { pause, raceStop, stopReason, within } from './stop-signal.js';
import { type Ended, ended, refusal, unknown } from './tool-endings.js';
import { type Beat, startHeartbeat } from './tool-heartbeat.js';
import type { CallToolInput, CallToolResult } from './types.js';

export interface CallToolDeps extends ServerRequestDeps {
  pool: McpPool;
  sessions: McpSessions;
  blobs: BlobStore;
  /** Reads arguments too large for the input from the workflow. Fails as `state.unavailable`. */
  readArguments(callId: string): Promise<Record<string, unknown>>;
  /**
   * The real path of a folder that this worker serves, looked up for each call: who may work where is the worker's
   * to say, whatever the run's state has. @throws SteersmanError where it does not serve the folder.
   */
  openWorkspace(path: string): Promise<string>;
  /** Patterns of calls that never run on this worker, as its configuration has them now. */
  deniedTools(): Promise<readonly string[]>;
  /** How large texts are shortened. Default: 16 KB whole, else 6 KB and 2 KB. */
  sizes?: ResultSizes;
}

/** Of a server's last words. */
const SERVER_WORDS_CHARS = 2_000;
/** For the list of tools, where it has to be asked for. */
const LIST_BUDGET_MS = 5_000;

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
  readonly #runId = activityInfo().workflowExecution?.workflowId ?? 'none';

  constructor(deps: CallToolDeps, input: CallToolInput, beat: Beat) {
    this.#deps = deps;
    this.#input = input;
    this.#beat = beat;
    this.#words = wordsOf({ pinned: input.words ?? null });
    // Now, for what a server asks comes outside of the activity's context.
    this.#asks = new ServerRequests(deps, input, beat);
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
      // Nothing was sent: whatever stopped the worker or the run here left no trace.
      if (error instanceof StoppedBeforeSending) return this.#stoppedBeforeSending();
      throw error;
    }
  }

  get #serverToolName(): string {
    return this.#input.serverToolName ?? this.#input.tool;
  }

  /** What the host denies does not run on it, whatever a workflow says it is called. */
  async #isDenied(args: Record<string, unknown>, workspace: string): Promise<boolean> {
    const { tool, server } = this.#input;
    const serverToolName = this.#serverToolName;
    const servers = this.#deps.pool.config.servers.map(({ name }) => name);
    const [first = tool, ...others] = server === null ? [] : possibleNames(server, serverToolName, servers);
    const deny = await this.#orStop(this.#deps.deniedTools());
    // A name that only a collision leads to is denied as it is written: the glob `rm_*` is not about `rm`.
    const called = { input: args, workspace, home: homedir() };
    if (matchesCall([tool, serverToolName, first], called, deny)) return true;
    const literal = deny.filter(pattern => others.includes(readPattern(pattern).names));
    return matchesCall(others, called, literal);
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
      if (connected === 'session_lost') return this.#sessionLost(this.#words.noteSessionGone);
      if ('why' in connected) {
        why = connected.why;
        pace.unreached();
        continue;
      }
      const errors = await this.#checkArguments(connected.connection, args);
      if (errors.length > 0) return ended('invalid', badArgumentsNote(this.#words, errors));
      const sent = await this.#send(connected.connection, args, { line, timeoutMs: pace.requestMs });
      if ('result' in sent) return sent.result;
      why = `Tool server ${server}: ${this.#shortOf(sent.notRun.message)}.`;
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

  #sessionLost(note: string, more: Ended = {}): CallToolResult {
    const { tool, server } = this.#input;
    return ended('session_lost', fill(note, { tool, server: server ?? '' }), more);
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
      if (error instanceof SteersmanError) return { why: this.#shortOf(error.message) };
      throw error;
    }
  }

  /** The schema is the server's of this moment; where it can not be had, the server is the judge. */
  async #checkArguments(connection: McpConnection, args: Record<string, unknown>): Promise<string[]> {
    if (!this.#input.checked) return [];
    const asked = connection.inputSchemaOf(this.#serverToolName).catch(() => undefined);
    const schema = await this.#orStop(within(LIST_BUDGET_MS, asked, undefined));
    return isUsableSchema(schema) ? validateArguments(schema, args) : [];
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
      const result = await this.#resultOf(answer, durationMs);
      const { toolsChangedAt } = connection;
      return { result: { ...result, ...(toolsChangedAt !== null && { toolsChangedAt }) } };
    } catch (error) {
      if (!(error instanceof McpCallError)) throw error;
      if (error.kind === 'not_sent' || error.kind === 'busy') return { notRun: error };
      return { result: await this.#afterSending(error, { connection, line, durationMs: since(startedAt) }) };
    }
  }

  /** The tool has run: a full disk must not turn that into a failed call, which might be repeated. */
  async #resultOf(answer: ToolAnswer, durationMs: number): Promise<CallToolResult> {
    const ran = { ending: 'executed' as const, isError: answer.isError, durationMs };
    const notes = answer.unreadable.length > 0 ? [unreadablePartsNote(this.#words, answer.unreadable)] : [];
    const noted = () => (notes.length > 0 ? { note: notes.join('\n') } : {});
    try {
      return { ...ran, content: await toToolContent(answer, this.#keeper()), ...noted() };
    } catch {
      notes.push(this.#words.noteNoStore);
      return { ...ran, content: contentWithoutStore(answer, this.#deps.redact), ...noted() };
    }
  }

  /** What a server said on its way out, for the conversation and for history: its beginning. */
  #shortOf(said: string): string {
    return headChars(this.#deps.redact?.(said) ?? said, SERVER_WORDS_CHARS);
  }

  #keeper() {
    const { blobs, sizes, redact } = this.#deps;
    return keeperFor(blobs, this.#runId, { ...(sizes && { sizes }), ...(redact && { clean: redact }) });
  }

  /** The server answered with an error, of any length: kept like a result. */
  async #refused(
    error: McpCallError,
    connection: McpConnection,
    durationMs: number,
  ): Promise<CallToolResult> {
    const { ending, note } = refusal(this.#words, error.code, await this.#isListed(connection));
    const text = await boundText(error.message, this.#keeper()).catch(() => ({
      text: this.#shortOf(error.message),
    }));
    return { ending, note, content: [{ type: 'text', ...text }], isError: true, durationMs };
  }

  /** Listed anew: servers answer wrong arguments and a tool that is gone with the same code. */
  #isListed(connection: McpConnection): Promise<boolean> {
    const asked = connection.listsTool(this.#serverToolName).catch(() => true);
    return within(LIST_BUDGET_MS, asked, true);
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

  /** What an unanswered or refused request means, by whether the tool may be called twice. */
  async #afterSending(
    error: McpCallError,
    { connection, line, durationMs }: { connection: McpConnection; line: Line; durationMs: number },
  ): Promise<CallToolResult> {
    const { idempotent, tool, server, timeoutMs } = this.#input;
    switch (error.kind) {
      case 'aborted':
        return this.#aborted(durationMs);
      case 'rejected':
        return this.#refused(error, connection, durationMs);
      case 'timed_out': {
        const why = fill(this.#words.noteWhyTimedOutAfter, { tool, seconds: timeoutMs / 1000 });
        const said = this.#shortOf(error.message);
        const whole = said === '' ? why : `${why}: ${said}`;
        if (idempotent) throw ApplicationFailure.retryable(whole, FAILURE.tool.timeout);
        return unknown(this.#words, why, { said, durationMs });
      }
      default: {
        const why = fill(this.#words.noteWhyConnection, { server: server ?? '', tool });
        const said = this.#shortOf(error.message);
        if (line.bound) return this.#sessionLost(this.#words.noteSessionGoneUnknown, { said, durationMs });
        if (idempotent) throw ApplicationFailure.retryable(`${why}: ${said}`, FAILURE.tool.connectionLost);
        return unknown(this.#words, why, { said, durationMs });
      }
    }
  }

  /** Only calls of idempotent tools are aborted. */
  #aborted(durationMs: number): CallToolResult {
    switch (stopReason(this.#signal)) {
      case 'cancelled':
        return ended('cancelled', this.#words.noteCancelledRunning, { durationMs });
      case 'shutdown':
        throw ApplicationFailure.retryable('the worker shut down while the tool ran', FAILURE.workerShutdown);
      case 'other':
        throw this.#signal.reason;
    }
  }

  #stoppedBeforeSending(): CallToolResult {
    switch (stopReason(this.#signal)) {
      case 'cancelled':
        return ended('cancelled', this.#words.noteCancelledUnsent);
      case 'shutdown':
        throw ApplicationFailure.retryable(
          'the worker shut down before the call was sent',
          FAILURE.tool.notSent,
        );
      case 'other':
        throw this.#signal.reason;
    }
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
