/** Records that all phases of a goal make, and the end of a task. */

import { IMPROVEMENTS_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { blockLacking, capabilitiesOf } from '../../rules/agents/capabilities.js';
import { causeOfPlan } from '../../rules/plan/decide.js';
import { blockDependants } from '../../rules/plan/plan-order.js';
import { overdueInstruction } from '../../rules/prompts/instructions.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { checksOf } from '../../run/checks/check.js';
import type { Account } from '../../run/limits/usage-by.js';
import type { Task } from '../../run/plan/plan.js';
import { begun, overdue } from '../../run/plan/task-time.js';
import { afterTasks, firstPosition } from '../../run/position/modes.js';
import {
  type CheckedWork,
  checkingAt,
  executionAt,
  type Improvements,
  type Position,
  planningAt,
  wrapUpAt,
} from '../../run/position/position.js';
import { goalTimeMs, newGoal } from '../../run/state/goal.js';
import { goalBegins, hasPhase } from '../beside/moments.js';
import type { Moved, Run } from '../run/run.js';
import { instruct } from './instruct.js';

type TaskEnd = Pick<Task, 'reason' | 'result'> & { status: 'completed' | 'failed' | 'skipped' };

export function endTask(run: Run, taskId: string, end: TaskEnd): Moved {
  const { cycle, turns } = run.cursor.position;
  run.changeTask(taskId, { ...end, rounds: turns.round });
  run.journal('task_ended', { taskId, status: end.status, reason: end.reason });
  blockStuckTasks(run);
  return run.moveTo(
    executionAt(cycle, end.status === 'failed' ? { kind: 'failed', taskId } : { kind: 'choose' }),
  );
}

/** Refunds the round of a question that the person answered. */
export function giveRoundBack({ turns }: Pick<Position, 'turns'>): void {
  turns.round = Math.max(0, turns.round - 1);
}

/** Marks a task as running. */
export function beginTask(run: Run, { id, description }: Task): void {
  const { state } = run;
  const workedMs = goalTimeMs(state.goal, run.ports.now());
  state.tasks = state.tasks.map(task => (task.id === id ? begun(task, workedMs) : task));
  run.journal('task_started', { taskId: id, description });
}

/** Notifies the role, once, that a task takes longer than planned. The task goes on. */
export function noteOverdue(run: Run, taskId: string, role: PinnedRole): void {
  const { state } = run;
  const task = state.tasks.find(({ id }) => id === taskId);
  const late = task ? overdue(task, goalTimeMs(state.goal, run.ports.now())) : null;
  if (late === null) return;
  run.changeTask(taskId, { begunMs: null, overdue: true });
  run.journal('task_overdue', { taskId, ...late });
  instruct(run, role, overdueInstruction(state, taskId, late));
}

/** Blocks tasks that need a capability that this run does not have. */
export function blockLackingTasks(run: Run): void {
  const { state, pinned } = run;
  const { cycle } = run.cursor.position;
  const { tasks, blocked } = blockLacking(state.tasks, { has: capabilitiesOf(pinned), cycle });
  state.tasks = tasks;
  for (const { id, status, reason } of blocked) run.journal('task_ended', { taskId: id, status, reason });
}

/** Blocks tasks that wait for a failed task, of this plan or of an earlier one. */
export function blockStuckTasks(run: Run): void {
  const { tasks, blocked } = blockDependants(run.state.tasks);
  run.state.tasks = tasks;
  noteBlocked(run, blocked);
}

export function noteBlocked(run: Run, blocked: readonly string[], reason = 'dependency_failed'): void {
  for (const id of blocked) run.journal('task_ended', { taskId: id, status: 'blocked', reason });
}

/** Leaves a plan without open tasks: the work is checked, then the goal continues as its mode requires. */
export function goOnWithoutTasks(run: Run): Moved {
  return enterChecks(run, { kind: 'plan' }) ?? goOnChecked(run, { kind: 'plan' });
}

/** Enters the goal's checks and resets their results. Returns null if the goal has no checks. */
export function enterChecks(run: Run, of: CheckedWork): Moved | null {
  const { state } = run;
  if (checksOf(state).length === 0 || !hasPhase(run, 'checking')) return null;
  const { checks } = state.goal;
  state.goal.checks = { ...checks, results: [], made: checks.effects };
  return run.enter(checkingAt(run.cursor.position.cycle, of));
}

/** Continues as the mode requires after the checks, even if they could not run. */
export function goOnChecked(run: Run, of: Exclude<CheckedWork, { kind: 'answer' }>): Moved {
  const { cursor } = run;
  const { goal, tasks } = run.state;
  if (of.kind === 'no_plan')
    return run.enter(wrapUpAt(cursor.position.cycle, { cause: 'no_plan', why: run.words.whyNoPlan }));
  const cause = causeOfPlan(tasks);
  const why = cause === 'carried_out' ? run.words.whyCarriedOut : run.words.whyCarriedOutPartly;
  return run.enter(afterTasks(goal.mode, cursor.position.cycle, { cause, why }));
}

export function noteLimit(run: Run, limit: string, taskId: string | null): void {
  run.journal('limit_reached', { limit, taskId });
}

export function noteFallback(run: Run, role: string, errors: string[], fallback: string): void {
  run.journal('output_fallback', { role, errors, fallback });
}

/** Begins the next goal: new counters and tasks, the same conversation (S3). `spent`: the cost of reading its message. */
export function beginNextGoal(run: Run, text: string, spent?: Account): void {
  const { state } = run;
  const { mode } = state.settings;
  state.goal = { ...newGoal(state.goal.number + 1, text, { mode, startedAt: run.ports.now() }), ...spent };
  state.tasks = [];
  goalBegins(run);
  run.line.tools.badCalls = {};
  state.models.failed = {};
  state.models.out = {};
  state.models.last = {};
  run.journal('goal_started', { number: state.goal.number, text: preview(text) });
  run.say(run.mainThread(), 'goal', text);
  run.enter(firstPosition(mode));
}

/** Plans again, to improve the current plan's result. Only modes with plans call it. */
export function planAnew(
  run: Run,
  { from, wanted, reading = null }: Omit<Improvements, 'reading'> & Partial<Improvements>,
): Moved {
  const { cursor } = run;
  withdrawVerdict(run);
  const improvements = { from, wanted: fitted(wanted, IMPROVEMENTS_BYTES), reading };
  return run.enter(planningAt(cursor.position.cycle + 1, improvements));
}

/** Withdraws a verdict, because the work continues. */
export function withdrawVerdict({ state: { goal } }: Run): void {
  goal.basis = null;
  goal.exceptions = [];
}

/** Plans again on the run's own initiative. The count limits how often that happens. */
export function replan(run: Run, improvements: Parameters<typeof planAnew>[1]): Moved {
  const { goal } = run.state;
  goal.counters = { ...goal.counters, replans: goal.counters.replans + 1 };
  return planAnew(run, improvements);
}
