/** A task beside others: the run with a position and threads of its own. Code for one task works on it unchanged. */

import { branchThread, branchThreadId } from '../../conversation/branch-threads.js';
import { inPlanOrder } from '../../rules/plan/branches.js';
import { checkBudgets, MOST_PARALLEL_TASKS, turnsLeft } from '../../run/limits/limits.js';
import { type Branch, callsNext, hasOpenBatch, isAtWork } from '../../run/state/cursor.js';
import type { JournalPayloads, JournalType } from '../../run/state/journal.js';
import { isHeld, type RunState } from '../../run/state/run-state.js';
import type { Thread } from '../../run/state/thread.js';
import { batchAction, waitingSteers } from '../../run/steering/inbox.js';
import { modelCalls } from '../memory.js';
import { Run, Yielded } from '../run.js';
import { mustOffload } from '../turn/keep-text.js';
import { mustShorten } from '../turn/safe-point.js';
import { usedWithOthers } from '../turn/spend.js';

export class BranchRun extends Run {
  readonly branch: Branch;
  readonly #main: Run;
  readonly #group: BranchGroup;
  /** It begins where it gave way the last time: to give way there again for a handover would never end. */
  #begun = false;

  constructor(main: Run, branch: Branch, group: BranchGroup) {
    super(viewOf(main.state, branch), main.ports, main.memory);
    this.branch = branch;
    this.#main = main;
    this.#group = group;
  }

  override thread(id: string): Thread {
    const { threads, lastId } = this.#main.state;
    const { taskId } = this.branch;
    const known = threads[branchThreadId(id, taskId)];
    if (known) return known;
    const copy = branchThread(super.thread(id), taskId, lastId);
    threads[copy.id] = copy;
    return copy;
  }

  override journal<T extends JournalType>(type: T, payload: JournalPayloads[T]): void {
    super.journal(type, { taskId: this.branch.taskId, ...payload });
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
    const branches = this.#main.state.cursor.branches.filter(isAtWork);
    return branches.reduce((sum, { inFlight }) => sum + Math.max(1, inFlight.length), 0);
  }

  /** Calls and sub-agents of others have their turns: where these take the last, the branch waits for what comes of them. */
  override hasTurn(): boolean {
    const isAlone = modelCalls(this.memory) === 0 && this.memory.agents.leases.size === 0;
    return isAlone || turnsLeft(this.limits, usedWithOthers(this)) > 0;
  }

  override giveWay(): void {
    if (this.#isWanted() || this.#lacksMeans()) throw new Yielded();
    this.#begun = true;
  }

  /** Waits beside the others at work; where none is, the main line waits for all. */
  override async waitForPerson(done: () => boolean, deadline: number | null, what: string): Promise<void> {
    const { ports } = this;
    const isOver = () => done() || (deadline !== null && ports.now() >= deadline);
    if (isOver()) return;
    const { working } = this.#group;
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
    this.#group.waits.set(this.branch, { isOver: done, deadline, what });
    throw new Yielded();
  }

  /** The goal's time went on with the others at work: it is none of this task's. */
  #hasWaited(ms: number): void {
    const { taskId } = this.branch;
    const begunMs = this.#main.state.tasks.find(({ id }) => id === taskId)?.begunMs ?? null;
    if (begunMs !== null) this.#main.changeTask(taskId, { begunMs: begunMs + ms });
  }

  /** Something is wanted of the whole run. */
  #isWanted(): boolean {
    const { state } = this.#main;
    if (this.#group.isCalled || state.people.stop !== null || isHeld(state) || isSpokenTo(state, this.branch))
      return true;
    if (mustOffload(state) || mustShorten(state)) return true;
    return this.#begun && this.ports.handoverNear(state);
  }

  /** It is about to call a model, and a budget is used up, or the calls of others have the last turns. */
  #lacksMeans(): boolean {
    if (!callsNext(this.branch)) return false;
    const { exhausted } = checkBudgets(this.limits, usedWithOthers(this));
    return exhausted.length > 0 || !this.hasTurn();
  }
}

/** Whether a message waits that is to be read before this branch goes on. */
export function isSpokenTo({ people }: RunState, { cursor }: Branch): boolean {
  if (cursor.interrupts.length > 0) return false;
  const action = batchAction(waitingSteers(people.inbox, 'executor'));
  return action === 'skip_rest' || (action === 'after_batch' && !hasOpenBatch(cursor));
}

/** The state of the run with the position of a branch, and what is counted by position. */
function viewOf(state: RunState, branch: Branch): RunState {
  const tools = overlay(() => state.tools, branch, ['badCalls', 'inFlight', 'sessions']);
  const models = overlay(() => state.models, branch, ['retries']);
  return overlay(() => state, { cursor: branch.cursor, tools, models }, ['cursor', 'tools', 'models']);
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

/** What a branch waits for at a gate. */
export interface Wait {
  isOver: () => boolean;
  deadline: number | null;
  what: string;
}

export class BranchGroup {
  /** Those that do something, or are about to: not those that wait for a person. */
  readonly working = new Set<object>();
  /** The others wait: what for. */
  readonly waits = new Map<Branch, Wait>();
  /** The main line is wanted: each branch gives way at its next safe point. */
  isCalled = false;
}

/** The branches whose tasks have not ended, in plan order, while they stand at a safe point. */
export function linesOf(run: Run): BranchRun[] {
  const { cursor, tasks } = run.state;
  return inPlanOrder(cursor.branches, tasks)
    .filter(isAtWork)
    .map(branch => new BranchRun(run, branch, new BranchGroup()));
}
