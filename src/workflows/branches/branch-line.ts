/** The line of a task beside others, with a position and threads of its own. Code for one task works on it unchanged. */

import { branchThread, branchThreadId } from '../../conversation/branch-threads.js';
import { inPlanOrder } from '../../rules/plan/branches.js';
import { checkBudgets, MOST_PARALLEL_TASKS, turnsLeft } from '../../run/limits/limits.js';
import { type Branch, type Cursor, callsNext, hasOpenBatch, isAtWork } from '../../run/state/cursor.js';
import { isHeld, type RunState } from '../../run/state/run-state.js';
import { newThread, type Thread } from '../../run/state/thread.js';
import { batchAction, waitingSteers } from '../../run/steering/inbox.js';
import type { Line } from '../run/line.js';
import { modelCalls } from '../run/memory.js';
import { Run, Yielded } from '../run/run.js';
import { usedWithOthers } from '../run/spend.js';
import { mustOffload } from '../turn/keep-text.js';
import { mustShorten } from '../turn/safe-point.js';

class BranchLine implements Line {
  readonly taskId: string;
  readonly cursor: Cursor;
  readonly tools: Branch;
  readonly models: Branch;
  /** The main line reads them, for all. */
  readonly hearsPeople = false;
  readonly #run: Run;
  readonly #branch: Branch;
  readonly #group: BranchGroup;
  /** It begins where it gave way the last time: to give way there again for a handover would never end. */
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

  /** Calls and sub-agents of others have their turns: where these take the last, the branch waits for what comes of them. */
  hasTurn(): boolean {
    const { memory, limits } = this.#run;
    const isAlone = modelCalls(memory) === 0 && memory.agents.leases.size === 0;
    return isAlone || turnsLeft(limits, usedWithOthers(this.#run)) > 0;
  }

  giveWay(): void {
    if (this.#isWanted() || this.#lacksMeans()) throw new Yielded();
    this.#begun = true;
  }

  /** Waits beside the others at work; where none is, the main line waits for all. */
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

  /** The goal's time went on with the others at work: it is none of this task's. */
  #hasWaited(ms: number): void {
    const begunMs = this.#run.state.tasks.find(({ id }) => id === this.taskId)?.begunMs ?? null;
    if (begunMs !== null) this.#run.changeTask(this.taskId, { begunMs: begunMs + ms });
  }

  /** Something is wanted of the whole run. */
  #isWanted(): boolean {
    const { state, ports } = this.#run;
    if (this.#group.isCalled || state.people.stop !== null || isHeld(state)) return true;
    if (isSpokenTo(state, this.#branch)) return true;
    if (mustOffload(state) || mustShorten(state)) return true;
    return this.#begun && ports.handoverNear(state);
  }

  /** It is about to call a model, and a budget is used up, or the calls of others have the last turns. */
  #lacksMeans(): boolean {
    if (!callsNext(this.#branch)) return false;
    const { exhausted } = checkBudgets(this.#run.limits, usedWithOthers(this.#run));
    return exhausted.length > 0 || !this.hasTurn();
  }
}

/** Whether a message waits that is to be read before this branch goes on. */
export function isSpokenTo({ people }: RunState, { cursor }: Branch): boolean {
  if (cursor.interrupts.length > 0) return false;
  const action = batchAction(waitingSteers(people.inbox, 'executor'));
  return action === 'skip_rest' || (action === 'after_batch' && !hasOpenBatch(cursor));
}

/** What a branch waits for at a gate. */
export interface Wait {
  isOver: () => boolean;
  deadline: number | null;
  what: string;
}

export class BranchGroup {
  /** Those that do something, or are about to: not those that wait for a person. */
  readonly working = new Set<Branch>();
  /** The others wait: what for. */
  readonly waits = new Map<Branch, Wait>();
  /** The main line is wanted: each branch gives way at its next safe point. */
  isCalled = false;
}

/** The run on the line of a branch. */
export function onBranch(run: Run, branch: Branch, group = new BranchGroup()): Run {
  return new Run(run.state, run.ports, run.features, run.memory, own => new BranchLine(own, branch, group));
}

/** The branches whose tasks have not ended, in plan order, while they stand at a safe point. */
export function branchesOf(run: Run): Run[] {
  const { cursor, tasks } = run.state;
  return inPlanOrder(cursor.branches, tasks)
    .filter(isAtWork)
    .map(branch => onBranch(run, branch));
}
