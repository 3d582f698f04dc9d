/**
 * The activity that runs one tool call. A failing tool is a result, never a failed run (E1); it throws
 * only where trying again, here or on another worker, is right or must be decided by the workflow.
 */

import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { fill, type Words, wordsOf } from '../../core/prompts/words.js';
import { unknownToolNote } from '../../core/tools/tool-notes.js';
import { READ_RESULT } from '../../core/tools/tool-result.js';
import { readResult } from '../../shared/blobs/read-result.js';
import { failpoint } from '../../shared/failpoints.js';
import type { CallToolInput, CallToolResult } from '../types.js';
import { CallStop, StoppedBeforeSending } from './call-stop.js';
import { CallTask } from './call-task.js';
import { isDenied } from './may-run.js';
import { ServerCall, type ServerCallDeps } from './server-call.js';
import { ended, ToolTexts } from './tool-endings.js';
import { type Beat, startHeartbeat } from './tool-heartbeat.js';
import { Unanswered } from './unanswered.js';

export interface CallToolDeps extends ServerCallDeps {
  /** Reads arguments too large for the input from the workflow. Fails as `state.unavailable`. */
  readArguments(callId: string): Promise<Record<string, unknown>>;
  /** Patterns of calls that never run on this worker, as its configuration has them now. */
  deniedTools(): Promise<readonly string[]>;
}

/**
 * Makes `steersmanCallTool`. Throws, as ApplicationFailure:
 * - `tool.timeout`, `tool.connection_lost` (retryable) for idempotent tools;
 * - `tool.not_sent` (retryable) when the worker shuts down before the request left;
 * - `tool.no_workspace` where this host does not have the folder;
 * - `worker.shutdown` when it shuts down afterwards: retryable for idempotent tools only;
 * - `tool.connection_lost` where a task of a server can not be asked for, of any tool: the details name the task.
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

/** One call on its way: what it says, whether it may run here, and where it runs. */
class ToolCall {
  readonly #deps: CallToolDeps;
  readonly #input: CallToolInput;
  readonly #words: Words;
  readonly #task: CallTask;
  readonly #stop: CallStop;
  readonly #unanswered: Unanswered;
  readonly #onServer: ServerCall;
  #arguments: Record<string, unknown> | null = null;
  readonly #runId = activityInfo().workflowExecution?.workflowId ?? 'none';

  constructor(deps: CallToolDeps, input: CallToolInput, beat: Beat) {
    this.#deps = deps;
    this.#input = input;
    this.#words = wordsOf({ pinned: input.words ?? null });
    const [words, runId, signal] = [this.#words, this.#runId, cancellationSignal()];
    const task = new CallTask(input, beat);
    const stop = new CallStop(signal, input, task);
    const texts = new ToolTexts(deps, words, runId);
    const unanswered = new Unanswered(input, { words, texts, signal, task });
    const given = { words, runId, signal, task, stop, texts, unanswered, beat, allowed: this };
    this.#task = task;
    this.#stop = stop;
    this.#unanswered = unanswered;
    this.#onServer = new ServerCall(deps, input, given);
  }

  async run(): Promise<CallToolResult> {
    const { server, workspace } = this.#input;
    try {
      // What an earlier try has begun runs already.
      const denied = this.#task.ref ? null : await this.denied(workspace);
      if (denied) return denied;
      return server === null ? await this.#runBuiltin() : await this.#onServer.run(server);
    } catch (error) {
      if (error instanceof StoppedBeforeSending) return this.#unanswered.stoppedBeforeSending();
      throw error;
    }
  }

  /** Read once, where they are large. */
  async arguments(): Promise<Record<string, unknown>> {
    const { arguments: given, callId } = this.#input;
    this.#arguments ??= given ?? (await this.#stop.before(this.#deps.readArguments(callId)));
    return this.#arguments;
  }

  /** Null where the host does not deny the call in this folder. */
  async denied(workspace: string): Promise<CallToolResult | null> {
    const args = await this.arguments();
    const deny = await this.#stop.before(this.#deps.deniedTools());
    const servers = this.#deps.pool.config.servers.map(({ name }) => name);
    if (!isDenied(this.#input, { args, workspace }, { deny, servers })) return null;
    return ended('denied', fill(this.#words.noteDeniedByConfiguration, { tool: this.#input.tool }));
  }

  async #runBuiltin(): Promise<CallToolResult> {
    const { tool, serverToolName = tool } = this.#input;
    if (serverToolName !== READ_RESULT)
      return ended('unavailable', unknownToolNote(this.#words, serverToolName, [READ_RESULT]));
    const startedAt = performance.now();
    const result = await readResult(this.#deps.blobs, this.#runId, await this.arguments());
    const durationMs = Math.round(performance.now() - startedAt);
    return { ending: 'executed', ...result, durationMs };
  }
}
