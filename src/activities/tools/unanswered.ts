/** What it means that a call has no answer, or a refusal in its place, by whether the tool may be called twice. */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE } from '../../core/limits/failure.js';
import { fill, type Words } from '../../core/prompts/words.js';
import { secondsOf } from '../../core/text/error-text.js';
import type { McpCallError } from '../../mcp/call-failure.js';
import { stopReason } from '../stop-signal.js';
import type { CallToolInput, CallToolResult } from '../types.js';
import type { CallTask } from './call-task.js';
import type { ToolTexts } from './tool-endings.js';
import { type Ended, ended, refusal, unknown } from './tool-endings.js';

export class Unanswered {
  readonly #input: CallToolInput;
  readonly #words: Words;
  readonly #texts: ToolTexts;
  readonly #signal: AbortSignal;
  readonly #task: CallTask;

  /** `signal`: that of the activity, whose reason says who wanted the call to stop. `task`: what the call goes on as. */
  constructor(
    input: CallToolInput,
    { words, texts, signal, task }: { words: Words; texts: ToolTexts; signal: AbortSignal; task: CallTask },
  ) {
    this.#input = input;
    this.#words = words;
    this.#texts = texts;
    this.#signal = signal;
    this.#task = task;
  }

  /**
   * The end of a call that was sent. `isListed`: its server had the tool before. `inSession`: by the connection of a
   * session that ends with it.
   * @throws ApplicationFailure, as `createCallTool` says, where it is to be tried again.
   */
  async resultOf(
    error: McpCallError,
    { isListed, inSession, durationMs }: { isListed: boolean; inSession: boolean; durationMs: number },
  ): Promise<CallToolResult> {
    const { idempotent, tool, server, timeoutMs } = this.#input;
    switch (error.kind) {
      case 'aborted':
        return this.#aborted(durationMs);
      case 'rejected':
        return this.#refused(error, isListed, durationMs);
      case 'timed_out': {
        const why = fill(this.#words.noteWhyTimedOutAfter, { tool, seconds: secondsOf(timeoutMs) });
        const said = this.#texts.shortOf(error.message);
        const whole = said === '' ? why : `${why}: ${said}`;
        if (idempotent) throw ApplicationFailure.retryable(whole, FAILURE.tool.timeout);
        return unknown(this.#words, why, { said, durationMs });
      }
      case 'task_lost':
        return unknown(this.#words, fill(this.#words.noteWhyTaskLost, { server: server ?? '', tool }), {
          said: this.#texts.shortOf(error.message),
          durationMs,
        });
      default: {
        const isAnswered = error.status !== undefined;
        const words = isAnswered ? this.#words.noteWhyAnswered : this.#words.noteWhyConnection;
        const why = fill(words, { server: server ?? '', tool });
        const said = this.#texts.shortOf(error.message);
        if (inSession && (error.reconnect || !isAnswered))
          return this.sessionLost(this.#words.noteSessionGoneUnknown, { said, durationMs });
        if (idempotent) throw ApplicationFailure.retryable(`${why}: ${said}`, FAILURE.tool.connectionLost);
        return unknown(this.#words, why, { said, durationMs });
      }
    }
  }

  sessionLost(note: string, more: Ended = {}): CallToolResult {
    const { tool, server } = this.#input;
    return ended('session_lost', fill(note, { tool, server: server ?? '' }), more);
  }

  /** A later try asks for the task again, here or on another worker. */
  taskUnreached(why: string): ApplicationFailure {
    return this.#failure(why, FAILURE.tool.connectionLost);
  }

  /** Whatever stopped the worker or the run left no trace. @throws where the call is to be made again. */
  stoppedBeforeSending(): CallToolResult {
    if (this.#task.ref) return this.#aborted(0);
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

  /** Only calls of idempotent tools are aborted, and those whose task goes on. */
  #aborted(durationMs: number): CallToolResult {
    switch (stopReason(this.#signal)) {
      case 'cancelled':
        return ended('cancelled', this.#words.noteCancelledRunning, { durationMs });
      case 'shutdown':
        throw this.#failure('the worker shut down while the tool ran', FAILURE.workerShutdown);
      case 'other':
        throw this.#signal.reason;
    }
  }

  /** With the task, by which a later try finds the call. */
  #failure(message: string, type: string): ApplicationFailure {
    const task = this.#task.ref;
    return ApplicationFailure.create({
      message,
      type,
      nonRetryable: !this.#input.idempotent,
      details: task ? [{ task }] : [],
    });
  }

  /** The server answered with an error, of any length: kept like a result. */
  async #refused(error: McpCallError, isListed: boolean, durationMs: number): Promise<CallToolResult> {
    const { tool, server } = this.#input;
    const mayRepeat = this.#input.idempotent || error.notCalled;
    const given = { code: error.code, isListed, mayRepeat, tool, server: server ?? '' };
    const { ending, note } = refusal(this.#words, given);
    return { ending, note, content: [await this.#texts.refusalOf(error.message)], isError: true, durationMs };
  }
}
