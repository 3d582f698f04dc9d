/**
 * A task that runs beside others: a view of the run whose position and threads are the lane's own. The code that works
 * on one task alone works on it unchanged.
 */

import { checkBudgets, MOST_PARALLEL_TASKS, turnsLeft } from '../../core/limits/limits.js';
import { callsNext, hasOpenBatch, isAtWork, type Lane } from '../../core/state/cursor.js';
import { forkId, forkOf } from '../../core/state/forks.js';
import type { JournalPayloads, JournalType } from '../../core/state/journal.js';
import type { RunState } from '../../core/state/run-state.js';
import { isHeld } from '../../core/state/run-state.js';
import type { Thread } from '../../core/state/thread.js';
import { batchAction, waitingSteers } from '../../core/steering/inbox.js';
import { modelCalls } from '../part.js';
import { Run } from '../run.js';
import { mustShorten } from '../turn/safe-point.js';
import { mustShelve } from '../turn/shelve.js';
import { usedWithOthers } from '../turn/spend.js';
import type { Crew } from './crew.js';

/** Thrown where a lane leaves its position: it comes back to it, as the next part of a run does. */
export class GaveWay {}

export class LaneRun extends Run {
  readonly lane: Lane;
  readonly #main: Run;
  readonly #crew: Crew;
  /** It begins where it gave way the last time: to give way there again for a handover would never end. */
  #begun = false;

  constructor(main: Run, lane: Lane, crew: Crew) {
    super(viewOf(main.state, lane), main.ports, main.part);
    this.lane = lane;
    this.#main = main;
    this.#crew = crew;
  }

  override thread(id: string): Thread {
    const { threads, lastId } = this.#main.state;
    const { taskId } = this.lane;
    const known = threads[forkId(id, taskId)];
    if (known) return known;
    const fork = forkOf(super.thread(id), taskId, lastId);
    threads[fork.id] = fork;
    return fork;
  }

  override journal<T extends JournalType>(type: T, payload: JournalPayloads[T]): void {
    super.journal(type, { taskId: this.lane.taskId, ...payload });
  }

  override show(): void {
    this.#main.show();
  }

  /** The main line reads them, for all. */
  override get hearsPeople(): boolean {
    return false;
  }

  override handoverDue(): boolean {
    return false;
  }

  override roomFor(bytes: number): number {
    return Math.floor(bytes / MOST_PARALLEL_TASKS);
  }

  override get sharers(): number {
    const lanes = this.#main.state.cursor.lanes.filter(isAtWork);
    return lanes.reduce((sum, { inFlight }) => sum + Math.max(1, inFlight.length), 0);
  }

  /** Calls and sub-agents of others have their turns: where these take the last, the lane waits for what comes of them. */
  override hasTurn(): boolean {
    const isAlone = modelCalls(this.part) === 0 && this.part.agents.leases.size === 0;
    return isAlone || turnsLeft(this.limits, usedWithOthers(this)) > 0;
  }

  override giveWay(): void {
    if (this.#isWanted() || this.#lacksMeans()) throw new GaveWay();
    this.#begun = true;
  }

  /** Waits beside the others at work; where none is, the main line waits for all. */
  override async waitForPerson(done: () => boolean, deadline: number | null, what: string): Promise<void> {
    const { ports } = this;
    const isOver = () => done() || (deadline !== null && ports.now() >= deadline);
    if (isOver()) return;
    const { working } = this.#crew;
    working.delete(this);
    if (working.size > 0 && !this.#isWanted()) {
      const timeoutMs = deadline === null ? null : deadline - ports.now();
      const from = ports.now();
      await ports.wait(() => done() || this.#isWanted() || working.size === 0, timeoutMs, what);
      this.#hasWaited(ports.now() - from);
    }
    working.add(this);
    ports.throwIfCancelled();
    if (isOver()) return;
    this.#crew.waits.set(this.lane, { isOver: done, deadline, what });
    throw new GaveWay();
  }

  /** The goal's time went on with the others at work: it is none of this task's. */
  #hasWaited(ms: number): void {
    const { state } = this.#main;
    state.tasks = state.tasks.map(task =>
      task.id === this.lane.taskId && task.begunMs !== null ? { ...task, begunMs: task.begunMs + ms } : task,
    );
  }

  /** Something is wanted of the whole run. */
  #isWanted(): boolean {
    const { state } = this.#main;
    if (this.#crew.isCalled || state.people.stop !== null || isHeld(state) || isSpokenTo(state, this.lane))
      return true;
    if (mustShelve(state) || mustShorten(state)) return true;
    return this.#begun && this.ports.handoverNear(state);
  }

  /** It is about to call a model, and a budget is used up, or the calls of others have the last turns. */
  #lacksMeans(): boolean {
    if (!callsNext(this.lane)) return false;
    const { exhausted } = checkBudgets(this.limits, usedWithOthers(this));
    return exhausted.length > 0 || !this.hasTurn();
  }
}

/** Whether a message waits that is to be read before this lane goes on. */
export function isSpokenTo({ people }: RunState, { cursor }: Lane): boolean {
  if (cursor.interrupts.length > 0) return false;
  const action = batchAction(waitingSteers(people.inbox, 'executor'));
  return action === 'skip_rest' || (action === 'after_batch' && !hasOpenBatch(cursor));
}

/** The state of the run with the position of a lane, and what is counted by position. */
function viewOf(state: RunState, lane: Lane): RunState {
  const tools = overlay(() => state.tools, lane, ['badCalls', 'inFlight', 'sessions']);
  const models = overlay(() => state.models, lane, ['retries']);
  return overlay(() => state, { cursor: lane.cursor, tools, models }, ['cursor', 'tools', 'models']);
}

/** An object that reads and writes these fields in `own`, and all others where they are shared. */
function overlay<T extends object, K extends keyof T>(
  shared: () => T,
  own: Pick<T, K>,
  fields: readonly K[],
): T {
  const view = {};
  for (const key of Object.keys(shared()) as (keyof T)[]) {
    const isOwn = fields.some(field => field === key);
    const at = (): T => (isOwn ? (own as T) : shared());
    Object.defineProperty(view, key, {
      enumerable: true,
      get: () => at()[key],
      set: (value: T[keyof T]) => {
        at()[key] = value;
      },
    });
  }
  return view as T;
}
