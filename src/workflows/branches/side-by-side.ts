/**
 * Tasks in parallel: each has a branch with a copy of the conversation. Work for the whole run, such as reading a message, is
 * done on the main line, while every branch is at a safe point.
 */

import { joinBranchThreads } from '../../conversation/branch-threads.js';
import { carrierOf, EXECUTOR, resourcesOf } from '../../rules/agents/capabilities.js';
import { inPlanOrder, tasksToBegin } from '../../rules/plan/branches.js';
import type { Task } from '../../run/plan/plan.js';
import { executionAt } from '../../run/position/position.js';
import { type Branch, callsNext, here, isAtWork, newBranch } from '../../run/state/cursor.js';
import type { GoalEnd } from '../../run/state/goal.js';
import { isHeld, type RunState } from '../../run/state/run-state.js';
import { lendSessions, takeBackSessions } from '../../run/tools/tool-session.js';
import { answerFor, concludeEarly, type StepEnd } from '../phases/conclude.js';
import { answerConsultation } from '../phases/steering.js';
import { workOn } from '../phases/task.js';
import { BranchGroup, isSpokenTo, onBranch } from '../run/branch-line.js';
import { closeGates } from '../run/gates.js';
import { beginInterpreting, hasMessage, mustInterpret } from '../run/hearing.js';
import { MOVED, type Run, Yielded } from '../run/run.js';
import { introduce } from '../say/instruct.js';
import { beginTask } from '../say/notes.js';
import { budgetAsked, raiseBudget } from '../turn/rescue.js';
import { safePoint } from '../turn/safe-point.js';
import { type BatchEnd, closeOpenCalls } from '../turn/tools/finish-call.js';
import { applySteering, usedBudgets } from '../turn/turn-loop.js';

/** Works on the main line, then starts the branches and waits until one needs the main line. */
export async function sideBySide(run: Run): Promise<StepEnd> {
  const { state } = run;
  const wait = safePoint(run, () => mustInterpret(run, EXECUTOR));
  if (wait) await wait;
  if (isHeld(state)) {
    beginInterpreting(run, EXECUTOR);
    return MOVED;
  }
  if (state.people.stop) return answerFor(run, 'stopped');
  const asked = budgetAsked(run);
  if (asked === null && hasMessage(run, EXECUTOR) && applySteering(run, EXECUTOR)) return MOVED;
  if (takeFailure(run)) return MOVED;
  beginBranches(run);
  if (!state.cursor.branches.some(isAtWork)) {
    joinBranches(run);
    return MOVED;
  }
  const budgets = state.cursor.branches.some(callsNext) ? usedBudgets(run) : [];
  const budget = asked ?? budgets[0];
  if (budget) {
    const isRaised = await raiseBudget(run, budget);
    return isRaised ? MOVED : concludeEarly(run, { kind: 'budget_used', budgets });
  }
  // Each works until it has ended or yielded.
  const opened: Opened = { group: new BranchGroup(), ends: new Map(), thrown: [] };
  await follow(run, state.cursor.branches.filter(isAtWork), opened);
  return handleYields(run, opened);
}

/** Moves the main line to a failed task, to decide how to continue. Returns true if there is one. */
function takeFailure(run: Run): boolean {
  const { cursor, tasks } = run.state;
  const failed = inPlanOrder(cursor.branches, tasks).find(
    ({ cursor: { position } }) => position.phase === 'execution' && position.step.kind === 'failed',
  );
  if (!failed) return false;
  const { cycle } = cursor.position;
  failed.cursor.position = executionAt(cycle);
  run.moveTo(executionAt(cycle, { kind: 'failed', taskId: failed.taskId }));
  return true;
}

/** Returns the tasks that may begin now, by the limits and by what those at work hold. */
export function tasksNext({ state, pinned, limits }: Run): Task[] {
  const resources = { counts: pinned.resources ?? {}, of: (task: Task) => resourcesOf(pinned, task) };
  const { branches } = state.cursor;
  return tasksToBegin(state.tasks, { branches, atOnce: limits.parallelTasks, resources });
}

/** Begins as many tasks as the limits allow. Returns their branches. */
function beginBranches(run: Run): Branch[] {
  const { state } = run;
  const { cursor } = state;
  const begun = tasksNext(run);
  for (const task of begun) introduce(run, run.role(carrierOf(run.pinned, task)));
  takeBack(
    state,
    cursor.branches.filter(branch => !isAtWork(branch)),
  );
  const branches = begun.map(({ id }) => {
    const { lent, left } = lendSessions(state.tools.sessions);
    state.tools.sessions = left;
    return newBranch(id, cursor.position.cycle, lent);
  });
  for (const task of begun) beginTask(run, task);
  cursor.branches.push(...branches);
  run.show();
  return branches;
}

interface Opened {
  group: BranchGroup;
  /** The end of the goal, by branch. */
  ends: Map<Branch, GoalEnd>;
  thrown: unknown[];
}

async function follow(run: Run, branches: readonly Branch[], opened: Opened): Promise<void> {
  for (const branch of branches) opened.group.working.add(branch);
  await Promise.all(branches.map(branch => followOne(run, branch, opened)));
}

/** Works on a branch; when its task has ended, the next task begins at once. */
async function followOne(run: Run, branch: Branch, opened: Opened): Promise<void> {
  const { group, ends, thrown } = opened;
  try {
    const end = await work(onBranch(run, branch, group), branch);
    if (end !== MOVED) ends.set(branch, end);
    const { position } = branch.cursor;
    if (end !== MOVED || position.phase !== 'execution' || position.step.kind === 'failed')
      group.isCalled = true;
  } catch (error) {
    if (!(error instanceof Yielded)) {
      thrown.push(error);
      group.isCalled = true;
    }
  } finally {
    group.working.delete(branch);
  }
  const { people } = run.state;
  if (isAtWork(branch) || group.isCalled || people.stop || isHeld(run.state)) return;
  await follow(run, beginBranches(run), opened);
}

/** Works on the task until it has ended, or needs the main line. */
async function work(run: Run, branch: Branch): Promise<StepEnd> {
  const { cursor, taskId } = branch;
  for (;;) {
    const at = here(cursor);
    if (at.phase === 'consultation') {
      await answerConsultation(run, at);
      continue;
    }
    const task = run.state.tasks.find(({ id }) => id === taskId);
    if (at.phase !== 'execution' || !isAtWork(branch) || !task) return MOVED;
    const end = await workOn(run, at, task);
    if (end !== MOVED) return end;
  }
}

/** Handles what stopped the branches. The first of them in plan order decides how the goal continues. */
async function handleYields(run: Run, { group, ends, thrown }: Opened): Promise<StepEnd> {
  const { cursor, tasks } = run.state;
  if (thrown.length > 0) throw thrown[0];
  const branches = inPlanOrder(cursor.branches, tasks);
  for (const branch of branches) {
    const end = ends.get(branch);
    if (end) return end;
    if (branch.cursor.position.phase === 'execution') continue;
    cursor.position = branch.cursor.position;
    return MOVED;
  }
  // An `after-batch` message may still wait for the calls of another branch.
  const isIdle = (branch: Branch) =>
    group.waits.has(branch) || (isSpokenTo(run.state, branch) && !hasMessage(run, EXECUTOR));
  const isOver = group.isCalled || group.waits.size === 0;
  if (!isOver && branches.filter(isAtWork).every(isIdle)) await waitForAny(run, group);
  return MOVED;
}

/** Waits while every branch waits for a person; the goal's clock stops. */
async function waitForAny(run: Run, { waits }: BranchGroup): Promise<void> {
  const { state } = run;
  const all = [...waits.values()];
  const deadlines = all.flatMap(({ deadline }) => (deadline === null ? [] : [deadline]));
  const isWanted = () => state.people.stop !== null || isHeld(state) || hasMessage(run, EXECUTOR);
  await run.line.waitForPerson(
    () => all.some(({ isOver }) => isOver()) || isWanted(),
    deadlines.length > 0 ? Math.min(...deadlines) : null,
    all.map(({ what }) => what).join('; '),
  );
}

/** Joins all branches at once, in plan order: the conversation then contains the messages of each. */
function joinBranches({ state }: Run): void {
  const { cursor, tasks, threads } = state;
  takeBack(state, cursor.branches);
  for (const { taskId } of inPlanOrder(cursor.branches, tasks)) joinBranchThreads(threads, taskId);
  cursor.branches = [];
}

/** Gives the sessions of ended branches back to the run. */
function takeBack({ tools }: RunState, ended: readonly Branch[]): void {
  for (const branch of ended) {
    tools.sessions = takeBackSessions(tools.sessions, branch.sessions);
    branch.sessions = [];
  }
}

/** Ends the branches of a goal that continues without them. `open`: the status for running tasks. */
export function closeBranches(
  run: Run,
  open: 'executing' | 'pending',
  end: BatchEnd = notCarriedOn(run),
): void {
  const { state } = run;
  const branches = inPlanOrder(state.cursor.branches, state.tasks);
  if (branches.length === 0) return;
  for (const branch of branches) closeOpenCalls(onBranch(run, branch), end);
  closeGates(run, () => true, end.why);
  const left = new Map(branches.filter(isAtWork).map(branch => [branch.taskId, branch]));
  state.tasks = state.tasks.map(task => withEnd(task, left.get(task.id), open));
  joinBranches(run);
}

function withEnd(task: Task, branch: Branch | undefined, open: 'executing' | 'pending'): Task {
  if (!branch || task.status !== 'executing') return task;
  return open === 'pending'
    ? { ...task, status: 'pending' }
    : { ...task, rounds: branch.cursor.position.turns.round };
}

function notCarriedOn({ state, words }: Run): BatchEnd {
  if (state.people.stop) return { ending: 'cancelled', note: words.noteRunStopped, why: 'stop' };
  return { ending: 'skipped', note: words.noteNotCarriedOn, why: 'the work on the plan has ended' };
}
