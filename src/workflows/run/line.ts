/** A line of work of a run: the main line, or the branch of a task beside others. What each has and does of its own. */

import type { ModelUse } from '../../run/models/model-use.js';
import type { Cursor } from '../../run/state/cursor.js';
import { newThread, type Thread } from '../../run/state/thread.js';
import type { ToolUse } from '../../run/tools/tool-use.js';
import { type Keeper, keepDue, keepSession } from './keep-session.js';

export interface Line {
  /** The task of a branch, which its events name. */
  readonly taskId: string | null;
  readonly cursor: Cursor;
  /** What is counted by position. */
  readonly tools: Pick<ToolUse, 'badCalls' | 'inFlight' | 'sessions'>;
  readonly models: Pick<ModelUse, 'retries'>;
  /** Whether messages of people are read here. */
  readonly hearsPeople: boolean;
  /** How many calls that run at the same time share what is left of the budgets. */
  readonly sharers: number;
  thread(id: string): Thread;
  /** Bytes that a part of the position may take. */
  roomFor(bytes: number): number;
  /** Whether the run is to continue as new here. */
  handoverDue(): boolean;
  /** Whether the limits leave a turn for one more model call, beside those in flight. */
  hasTurn(): boolean;
  /** Leaves this position where something is wanted of the whole run. */
  giveWay(): void;
  /** Waits until `done`, or until `deadline`. `what` says in the Web UI whose timer it is. */
  waitForPerson(done: () => boolean, deadline: number | null, what: string): Promise<void>;
}

/** What the main line needs of its run. */
interface Host extends Keeper {
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
   * The time does not count as the goal's. A long wait continues as new when the server suggests it: what is waited for
   * is in the state, so the caller waits on.
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
        // Else it would be due again at once, for ever: what a cancelled run calls is cancelled before it begins.
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
