/** What a stop of the activity does to a call on its way. */
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE } from '../../core/limits/failure.js';
import { raceStop, stopReason } from '../stop-signal.js';
import type { CallTask } from './call-task.js';

/** Nothing was sent, or a task goes on without this call. */
export class StoppedBeforeSending extends Error {}

export class CallStop {
  readonly #signal: AbortSignal;
  readonly #idempotent: boolean;
  readonly #task: CallTask;

  /** `signal`: that of the activity. */
  constructor(signal: AbortSignal, { idempotent }: { idempotent: boolean }, task: CallTask) {
    this.#signal = signal;
    this.#idempotent = idempotent;
    this.#task = task;
  }

  /** Waits for work before sending; gives up at once when the activity is to stop. */
  async before<T>(work: Promise<T>): Promise<T> {
    return raceStop(this.#signal, work, () => {
      this.look();
      return work;
    });
  }

  /** @throws StoppedBeforeSending where nothing may be sent any more. */
  look(): void {
    // It has begun as a task, and to leave that alone would leave its effect unknown.
    const isWaitedFor = this.#task.ref !== null && !this.#idempotent && !this.#isShutdown;
    if (this.#signal.aborted && !isWaitedFor) throw new StoppedBeforeSending();
  }

  /**
   * Waits for the answer. An idempotent call is aborted by any stop. One that is not is waited for, because
   * aborting it would leave its effect unknown; only the end of the worker cuts it short. A task goes on without it.
   */
  async sent<T>(abort: AbortController, answer: Promise<T>): Promise<T> {
    return raceStop(this.#signal, answer, () => {
      if (this.#idempotent || (this.#isShutdown && this.#task.ref)) {
        abort.abort();
        return answer;
      }
      if (!this.#isShutdown) return answer;
      const why = 'the worker shut down while the tool ran';
      throw ApplicationFailure.nonRetryable(why, FAILURE.workerShutdown);
    });
  }

  get #isShutdown(): boolean {
    return stopReason(this.#signal) === 'shutdown';
  }
}
