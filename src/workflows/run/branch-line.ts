/** The line of a task that runs in parallel: it has its own position and threads. Code for one task needs no change for it. */

import { branchThread, branchThreadId } from '../../conversation/branch-threads.js';
import { mustShorten } from '../../conversation/state-bounds.js';
import { inPlanOrder } from '../../rules/plan/branches.js';
import { checkBudgets, MOST_PARALLEL_TASKS, turnsLeft } from '../../run/limits/limits.js';
import { type Branch, type Cursor, callsNext, hasOpenBatch, isAtWork } from '../../run/state/cursor.js';
import { isHeld, type RunState } from '../../run/state/run-state.js';
import { newThread, type Thread } from '../../run/state/thread.js';
import { batchAction, waitingSteers } from '../../run/steering/inbox.js';
import { reportsAreOver } from './keep-text.js';
import type { Line } from './line.js';
import { modelCalls } from './memory.js';
import { Run, Yielded } from './run.js';
import { usedWithOthers } from './spend.js';

class BranchLine implements Line {
  readonly taskId: string;
  readonly cursor: Cursor;
  readonly tools: Branch;
  readonly models: Branch;
  /** The main line reads messages for all branches. */
  readonly hearsPeople = false;
  readonly #run: Run;
  readonly #branch: Branch;
  readonly #group: BranchGroup;
  /** False at the position where the branch last yielded: yielding there again for a handover would never end. */
  #begun = false;

  constructor(run: Run, branch: Branch, group: BranchGroup) {
    this.taskId = branch.taskId;
    this.cursor = branch.cursor;
    this.tools = branch;
    this.models = branch;
    this.#run = run;
    this.#branch = branch;
    this.#group = group;
  }

  thread(id: string): Thread {
    const { threads, lastId } = this.#run.state;
    const known = threads[branchThreadId(id, this.taskId)];
    if (known) return known;
    threads[id] ??= newThread(id);
    const copy = branchThread(threads[id], this.taskId, lastId);
    threads[copy.id] = copy;
    return copy;
  }

  handoverDue(): boolean {
    return false;
  }

  roomFor(bytes: number): number {
    return Math.floor(bytes / MOST_PARALLEL_TASKS);
  }

  get sharers(): number {
    const branches = this.#run.state.cursor.branches.filter(isAtWork);
    return branches.reduce((sum, { inFlight }) => sum + Math.max(1, inFlight.length), 0);
  }

  /** False if parallel calls and agents have reserved the last turns: the branch then waits for them to end. */
  hasTurn(): boolean {
    const { memory, limits } = this.#run;
    const isAlone = modelCalls(memory) === 0 && memory.agents.leases.size === 0;
    return isAlone || turnsLeft(limits, usedWithOthers(this.#run)) > 0;
  }

  giveWay(): void {
    if (this.#isWanted() || this.#lacksMeans()) throw new Yielded();
    this.#begun = true;
  }

  /** Waits while other branches work; if all wait, it yields, and the main line waits for all. */
  async waitForPerson(done: () => boolean, deadline: number | null, what: string): Promise<void> {
    const { ports } = this.#run;
    const isOver = () => done() || (deadline !== null && ports.now() >= deadline);
    if (isOver()) return;
    const { working } = this.#group;
    working.delete(this.#branch);
    if (working.size > 0 && !this.#isWanted()) {
      const timeoutMs = deadline === null ? null : deadline - ports.now();
      const from = ports.now();
      await ports.wait(() => done() || this.#isWanted() || working.size === 0, timeoutMs, what);
      this.#hasWaited(ports.now() - from);
    }
    working.add(this.#branch);
    ports.throwIfCancelled();
    if (isOver()) return;
    this.#group.waits.set(this.#branch, { isOver: done, deadline, what });
    throw new Yielded();
  }

  /** Adds a wait to the task's start, because the goal's clock went on for the other branches. */
  #hasWaited(ms: number): void {
    const begunMs = this.#run.state.tasks.find(({ id }) => id === this.taskId)?.begunMs ?? null;
    if (begunMs !== null) this.#run.changeTask(this.taskId, { begunMs: begunMs + ms });
  }

  /** True if the whole run needs this branch to yield. */
  #isWanted(): boolean {
    const { state, ports } = this.#run;
    if (this.#group.isCalled || state.people.stop !== null || isHeld(state)) return true;
    if (isSpokenTo(state, this.#branch)) return true;
    if (reportsAreOver(state.tasks) || mustShorten(state)) return true;
    return this.#begun && ports.handoverNear(state);
  }

  /** True if the branch is about to call a model, and a budget is used up, or other calls have reserved the last turns. */
  #lacksMeans(): boolean {
    if (!callsNext(this.#branch)) return false;
    const { exhausted } = checkBudgets(this.#run.limits, usedWithOthers(this.#run));
    return exhausted.length > 0 || !this.hasTurn();
  }
}

/** True if a message waits that must be read before this branch continues. */
export function isSpokenTo({ people }: RunState, { cursor }: Branch): boolean {
  if (cursor.interrupts.length > 0) return false;
  const action = batchAction(waitingSteers(people.inbox, 'executor'));
  return action === 'skip_rest' || (action === 'after_batch' && !hasOpenBatch(cursor));
}

/** The wait of a branch at a gate. */
export interface Wait {
  isOver: () => boolean;
  deadline: number | null;
  what: string;
}

export class BranchGroup {
  /** Branches that work or are about to, not those that wait for a person. */
  readonly working = new Set<Branch>();
  /** Waits of the other branches. */
  readonly waits = new Map<Branch, Wait>();
  /** True if the main line must act: each branch yields at its next safe point. */
  isCalled = false;
}

export function onBranch(run: Run, branch: Branch, group = new BranchGroup()): Run {
  return new Run(run.state, run.ports, run.features, run.memory, own => new BranchLine(own, branch, group));
}

/** Returns the branches whose tasks have not ended, in plan order. Only call it while they are at a safe point. */
export function branchesOf(run: Run): Run[] {
  const { cursor, tasks } = run.state;
  return inPlanOrder(cursor.branches, tasks)
    .filter(isAtWork)
    .map(branch => onBranch(run, branch));
}
