/** A call that its server carries on as a task: what is known of it, from heartbeat to heartbeat and from try to try. */
import { activityInfo } from '@temporalio/activity';
import { type TaskRef, taskIn } from '../../core/limits/heartbeats.js';
import type { TaskCall } from '../../mcp/connection/tasks.js';
import { stopReason } from '../stop-signal.js';
import type { CallToolInput } from '../types.js';
import type { Beat } from './tool-heartbeat.js';

/** How long a server is asked to keep the result beyond the time that the call may take. */
const KEEP_MS = 600_000;

export class CallTask {
  readonly #input: CallToolInput;
  readonly #beat: Beat;
  #ref: TaskRef | null;

  /** In the context of the activity. */
  constructor(input: CallToolInput, beat: Beat) {
    this.#input = input;
    this.#beat = beat;
    this.#ref = taskIn(activityInfo().heartbeatDetails) ?? input.task ?? null;
    if (this.#ref) beat.task(this.#ref);
  }

  /** Null before the call has begun as one: then it may be made. */
  get ref(): TaskRef | null {
    return this.#ref;
  }

  /** It is gone, and the tool may be called again. */
  forget(): void {
    this.#set(null);
  }

  /** For a connection. `signal`: that of the activity. */
  on(signal: AbortSignal): TaskCall {
    const { timeoutMs, asksForMs = 0 } = this.#input;
    return {
      known: this.#ref,
      ttlMs: timeoutMs + asksForMs + KEEP_MS,
      onBegun: begun => this.#set(begun),
      onStatus: message => this.#beat.status(message),
      isLeft: () => signal.aborted && stopReason(signal) !== 'cancelled',
    };
  }

  #set(ref: TaskRef | null): void {
    this.#ref = ref;
    this.#beat.task(ref);
  }
}
