/** How tasks that run side by side come together again. */

import { inPlanOrder } from '../../core/plan/branches.js';
import type { Task } from '../../core/plan/plan.js';
import { joinBranchThreads } from '../../core/state/branch-threads.js';
import { type Branch, isAtWork } from '../../core/state/cursor.js';
import type { RunState } from '../../core/state/run-state.js';
import { takeBackSessions } from '../../core/tools/tool-session.js';
import { closeGates } from '../gates.js';
import type { Run } from '../run.js';
import { type BatchEnd, closeOpenCalls } from '../turn/tools/batch.js';
import { BranchGroup } from './branch-group.js';
import { BranchRun } from './branch-run.js';

/** In plan order, all of them at once: the conversation goes on with what each of them has. */
export function joinBranches({ state }: Run): void {
  const { cursor, tasks, threads } = state;
  takeBack(state, cursor.branches);
  for (const { taskId } of inPlanOrder(cursor.branches, tasks)) joinBranchThreads(threads, taskId);
  cursor.branches = [];
}

/** The sessions of branches that have ended are the run's again. */
export function takeBack({ tools }: RunState, ended: readonly Branch[]): void {
  for (const branch of ended) {
    tools.sessions = takeBackSessions(tools.sessions, branch.sessions);
    branch.sessions = [];
  }
}

/**
 * Ends the branches of a goal that does not go on with them: open calls get their results, and nobody is asked any more.
 * `open`: what becomes of the tasks at work; for the next plan they are to be done still.
 */
export function closeBranches(
  run: Run,
  open: 'executing' | 'pending',
  end: BatchEnd = notCarriedOn(run),
): void {
  const { state } = run;
  const branches = inPlanOrder(state.cursor.branches, state.tasks);
  if (branches.length === 0) return;
  for (const branch of branches) closeOpenCalls(new BranchRun(run, branch, new BranchGroup()), end);
  closeGates(run, '', end.why);
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
