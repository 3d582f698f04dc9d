/** A line of work of a run: the main line, or the branch of a task that runs in parallel. A line has its own cursor. */

import type { ModelUse } from '../../run/models/model-use.js';
import type { Cursor } from '../../run/state/cursor.js';
import { newThread, type Thread } from '../../run/state/thread.js';
import type { ToolUse } from '../../run/tools/tool-use.js';
import { keepDue, keepSession, type StoringRun } from './keep-session.js';

export interface Line {
  /** The task of a branch, which its events name; null on the main line. */
  readonly taskId: string | null;
  readonly cursor: Cursor;
  /** Counters that belong to a position. */
  readonly tools: Pick<ToolUse, 'badCalls' | 'inFlight' | 'sessions'>;
  readonly models: Pick<ModelUse, 'retries'>;
  /** True if messages of people are read here. */
  readonly hearsPeople: boolean;
  /** Number of parallel calls that share the remaining budgets. */
  readonly sharers: number;
  thread(id: string): Thread;
  /** Returns how many of these bytes a part of the position may use. */
  roomFor(bytes: number): number;
  /** True if the run must continue as new here. */
  handoverDue(): boolean;
  /** True if the limits allow one more model call, besides those in flight. */
  hasTurn(): boolean;
  /** Leaves this position (throws `Yielded`) if the whole run needs something. */
  giveWay(): void;
  /** Waits until `done`, or until `deadline`. `what`: the label of the timer in the Web UI. */
  waitForPerson(done: () => boolean, deadline: number | null, what: string): Promise<void>;
}

/** The part of a run that its main line needs. */
interface Host extends StoringRun {
  readonly isBusy: boolean;
  show(): void;
  stopWaiting(): void;
}

export class MainLine implements Line {
  readonly taskId = null;
  readonly hearsPeople = true;
  readonly #run: Host;

  constructor(run: Host) {
    this.#run = run;
  }

  get cursor(): Cursor {
    return this.#run.state.cursor;
  }

  get tools(): ToolUse {
    return this.#run.state.tools;
  }

  get models(): ModelUse {
    return this.#run.state.models;
  }

  get sharers(): number {
    return this.tools.inFlight.length;
  }

  thread(id: string): Thread {
    const { threads } = this.#run.state;
    threads[id] ??= newThread(id);
    return threads[id];
  }

  roomFor(bytes: number): number {
    return bytes;
  }

  handoverDue(): boolean {
    const { state, ports, isBusy } = this.#run;
    return ports.handoverDue(state) && !isBusy;
  }

  hasTurn(): boolean {
    return true;
  }

  giveWay(): void {}

  /**
   * The wait does not count as the goal's time. A long wait continues as new when the server suggests it: the state has what is
   * waited for, so the caller waits on.
   */
  async waitForPerson(done: () => boolean, deadline: number | null, what: string): Promise<void> {
    const run = this.#run;
    const { state, ports } = run;
    while (!done()) {
      const now = ports.now();
      if (deadline !== null && now >= deadline) break;
      state.goal.waitingSince ??= now;
      run.show();
      if (keepDue(run, () => true)) {
        await keepSession(run);
        // A cancelled run's calls are cancelled before they begin, so without this the loop would never end.
        ports.throwIfCancelled();
        continue;
      }
      const timeoutMs = deadline === null ? null : deadline - now;
      const mustGoOn = () => ports.handoverSuggested() && !run.isBusy;
      await ports.wait(() => done() || mustGoOn(), timeoutMs, what);
      ports.throwIfCancelled();
      if (!done() && mustGoOn()) await ports.handOver(state);
    }
    run.stopWaiting();
  }
}
