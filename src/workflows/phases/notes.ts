/** What the phases of a goal note alike, and how a task ends. */

import { causeOfPlan } from '../../core/decide.js';
import { afterTasks } from '../../core/modes.js';
import type { Place } from '../../core/place.js';
import { executionAt } from '../../core/place.js';
import { blockDependants } from '../../core/plan.js';
import type { Run } from '../run.js';

export interface TaskEnd {
  status: 'completed' | 'failed' | 'skipped';
  reason: string | null;
  result: string | null;
}

export function endTask(run: Run, taskId: string, end: TaskEnd): void {
  const { state } = run;
  const { cycle, turns } = state.cursor.place;
  state.tasks = state.tasks.map(task =>
    task.id === taskId ? { ...task, ...end, rounds: turns.round } : task,
  );
  run.journal('task_ended', { taskId, status: end.status, reason: end.reason });
  blockStuckTasks(run);
  run.moveTo(executionAt(cycle, end.status === 'failed' ? { kind: 'failed', taskId } : { kind: 'choose' }));
}

/** A question to the person that was answered costs its role no round. */
export function giveRoundBack({ turns }: Place): void {
  turns.round = Math.max(0, turns.round - 1);
}

/** Blocks what waits for a failed task, be it of this plan or of an earlier one. */
export function blockStuckTasks(run: Run): void {
  const { tasks, blocked } = blockDependants(run.state.tasks);
  run.state.tasks = tasks;
  noteBlocked(run, blocked);
}

export function noteBlocked(run: Run, blocked: readonly string[], reason = 'dependency_failed'): void {
  for (const id of blocked) {
    run.journal('task_ended', { taskId: id, status: 'blocked', reason });
  }
}

/** No task of the plan is worked on any more: the goal goes on as its mode does then. */
export function goOnWithoutTasks(run: Run): void {
  const { goal, cursor, tasks } = run.state;
  const cause = causeOfPlan(tasks);
  const why = cause === 'carried_out' ? run.words.whyCarriedOut : run.words.whyCarriedOutPartly;
  run.enter(afterTasks(goal.mode, cursor.place.cycle, { cause, why }));
}

export function noteLimit(run: Run, limit: string, taskId: string | null): void {
  run.journal('limit_reached', { limit, taskId });
}

export function noteFallback(run: Run, role: string, errors: string[], fallback: string): void {
  run.journal('output_fallback', { role, errors, fallback });
}
