/**
 * Team mode (L1): plan, execute each task, verify; what a verification finds missing goes back to the
 * planner. Re-entering it on a restored state goes on at the cursor.
 */
import {
  continueTaskBrief,
  morePlanningBrief,
  planningBrief,
  retryTaskBrief,
  taskBrief,
  taskCapBrief,
  verificationBrief,
} from '../../core/briefs.js';
import { decideTask, decideVerdict, planningDecision } from '../../core/decide.js';
import { preview } from '../../core/journal.js';
import { clearTask } from '../../core/ledger.js';
import type { ExecutionOutput, PlanOutput } from '../../core/parse-output.js';
import type { Task } from '../../core/plan.js';
import { applyEcho, blockDependants, mergePlan, nextTask, rejectTasks, setStatus } from '../../core/plan.js';
import { startOf } from '../../core/run-state.js';
import type { GoalEnd } from '../conclude.js';
import { answerFor, concludeEarly, wrapUp, wrapUpAs } from '../conclude.js';
import type { Run } from '../run.js';
import { runTurns } from '../turn-loop.js';

const PLANNER = 'planner';
const EXECUTOR = 'executor';
const VERIFIER = 'verifier';

/** Pursues the goal to its end. Throws only what the platform throws: cancellation, continue-as-new. */
export async function team(run: Run): Promise<GoalEnd> {
  for (;;) {
    const end = await step(run);
    if (end) return end;
  }
}

function step(run: Run): Promise<GoalEnd | null> {
  switch (run.state.cursor.phase) {
    case 'planning':
      return plan(run);
    case 'execution':
      return execute(run);
    case 'verification':
      return verify(run);
    case 'wrap_up':
      return wrapUp(run);
  }
}

/** One planner reply; the plan is merged, and the table says whether to plan on, execute or answer (L2). */
async function plan(run: Run): Promise<GoalEnd | null> {
  const { state, pinned } = run;
  const limit = pinned.limits.planning;
  const end = await runTurns(run, {
    role: PLANNER,
    output: 'plan',
    maxRounds: limit,
    tools: false,
    brief: () => planningBrief(state),
  });
  if (end.kind !== 'reply' && end.kind !== 'unusable' && end.kind !== 'rounds_used')
    return concludeEarly(run, end);
  const { round, cycle } = state.cursor;
  state.goal.counters = { ...state.goal.counters, planning: round };
  if (end.kind === 'unusable') noteFallback(run, PLANNER, end.errors, 'the plan as it stands');

  const output = end.kind === 'reply' ? end.output : null;
  const changed = output ? adoptPlan(run, output, cycle) : false;
  switch (planningDecision({ output, round, limit, changed, taskCount: state.tasks.length })) {
    case 'plan_again':
      run.say(run.threadOf(run.role(PLANNER)), 'brief', morePlanningBrief(limit - round));
      return null;
    case 'direct_answer':
      wrapUpAs(run, 'direct', 'no plan with a task came about');
      return null;
    case 'execute':
      if (round >= limit && output?.needsMorePlanning !== false) noteLimit(run, 'planning', null);
      blockStuckTasks(run);
      run.enterPhase('execution', cycle);
      return null;
  }
}

function adoptPlan(run: Run, output: PlanOutput, cycle: number): boolean {
  const { state } = run;
  const { tasks, changed, cut } = mergePlan(state.tasks, output.tasks, {
    cycle,
    maxTasks: run.pinned.limits.tasks,
  });
  state.tasks = tasks;
  run.journal('plan_updated', {
    tasks: tasks.map(({ id, description, status }) => ({ id, description, status })),
    changed,
    cut,
  });
  return changed;
}

/** One step of execution: choose the next task, or take the current one a reply further (L3, L7). */
async function execute(run: Run): Promise<GoalEnd | null> {
  const { state, pinned } = run;
  const task = currentTask(run);
  if (!task) {
    run.enterPhase('verification', state.cursor.cycle);
    return null;
  }
  const limit = pinned.limits.execution;
  const { reporting } = state.cursor;
  const end = await runTurns(run, {
    role: EXECUTOR,
    output: 'execution',
    maxRounds: reporting ? limit + 1 : limit,
    tools: !reporting,
    brief: () => (reporting ? taskCapBrief(task) : taskBrief(state, task, limit)),
  });
  switch (end.kind) {
    case 'reply':
      applyReport(run, task.id, end.output, limit);
      return null;
    case 'unusable':
      noteFallback(run, EXECUTOR, end.errors, 'the task failed');
      endTask(run, task.id, {
        status: 'failed',
        reason: reporting ? 'max_rounds' : 'bad_output',
        result: end.text,
      });
      return null;
    case 'rounds_used':
      if (reporting) endTask(run, task.id, { status: 'failed', reason: 'max_rounds', result: null });
      else enterReport(run, task.id);
      return null;
    default:
      return concludeEarly(run, end);
  }
}

/** The task at the cursor, else the next one, which becomes the cursor's; null when none is left. */
function currentTask(run: Run): Task | null {
  const { state } = run;
  const running = state.tasks.find(task => task.id === state.cursor.taskId);
  if (running) return running;
  const task = nextTask(state.tasks);
  if (!task) return null;
  state.tasks = setStatus(state.tasks, task.id, 'executing');
  state.badCalls = {};
  run.moveTo(startOf('execution', state.cursor.cycle, task.id));
  run.journal('task_started', { taskId: task.id, description: task.description });
  return state.tasks.find(candidate => candidate.id === task.id) ?? null;
}

/** At the cap of rounds (L6): one more reply, without tools, to report what there is. */
function enterReport(run: Run, taskId: string): void {
  noteLimit(run, 'execution', taskId);
  run.state.cursor.reporting = true;
  run.state.cursor.briefed = false;
}

/** Applies an executor's reply by the table of DESIGN.md, "Is a task done?" (F1 to F3, F5). */
function applyReport(run: Run, taskId: string, output: ExecutionOutput, limit: number): void {
  const { state } = run;
  const { cursor } = state;
  state.tasks = applyEcho(state.tasks, output.todos, taskId);
  if (cursor.reporting) {
    endTask(run, taskId, { status: 'failed', reason: 'max_rounds', result: output.summary });
    return;
  }
  const { decision } = decideTask(output, taskId);
  const left = limit - cursor.round;
  const thread = run.threadOf(run.role(EXECUTOR));
  switch (decision) {
    case 'completed':
      endTask(run, taskId, { status: 'completed', reason: null, result: output.summary });
      return;
    case 'skipped':
      endTask(run, taskId, { status: 'skipped', reason: 'skipped', result: output.summary });
      return;
    case 'failed':
      endTask(run, taskId, { status: 'failed', reason: 'gave_up', result: output.summary });
      return;
    case 'retry':
      clearTask(state.ledger, taskId);
      if (left > 0) run.say(thread, 'brief', retryTaskBrief(taskId, left));
      return;
    case 'continue':
      if (left > 0) run.say(thread, 'brief', continueTaskBrief(taskId, left));
      return;
  }
}

/** One verdict (L4, F8 to F10): done, or back to the planner with improvements, until the cap (L5). */
async function verify(run: Run): Promise<GoalEnd | null> {
  const { state, pinned } = run;
  const end = await runTurns(run, {
    role: VERIFIER,
    output: 'verdict',
    maxRounds: 1,
    tools: false,
    brief: () => verificationBrief(state),
  });
  if (end.kind === 'unusable' || end.kind === 'rounds_used') {
    noteFallback(
      run,
      VERIFIER,
      end.kind === 'unusable' ? end.errors : ['it called tools'],
      'an unverified answer',
    );
    wrapUpAs(run, 'direct', 'the verification gave no verdict');
    return null;
  }
  if (end.kind !== 'reply') return concludeEarly(run, end);

  const { goal, cursor } = state;
  goal.counters = { ...goal.counters, verification: goal.counters.verification + 1 };
  const { output } = end;
  const verdict = decideVerdict(
    output,
    state.tasks.map(task => task.id),
  );
  const { done, improvements, contradictions } = verdict;
  run.journal('verdict', { done, feedback: preview(output.overallFeedback), improvements, contradictions });
  if (output.summary) goal.lastSummary = output.summary;
  if (done) return answerFor(run, 'verified');
  goal.improvements = improvements;
  state.tasks = rejectTasks(
    state.tasks,
    output.tasks.filter(task => !task.completed).map(task => task.id),
  );
  if (goal.counters.verification >= pinned.limits.verification) {
    noteLimit(run, 'verification', null);
    return answerFor(run, 'verification_cap');
  }
  run.enterPhase('planning', cursor.cycle + 1);
  return null;
}

interface TaskEnd {
  status: 'completed' | 'failed' | 'skipped';
  reason: string | null;
  result: string | null;
}

function endTask(run: Run, taskId: string, end: TaskEnd): void {
  const { state } = run;
  const { cycle, round } = state.cursor;
  state.tasks = state.tasks.map(task => (task.id === taskId ? { ...task, ...end, rounds: round } : task));
  run.journal('task_ended', { taskId, status: end.status, reason: end.reason });
  blockStuckTasks(run);
  run.moveTo(startOf('execution', cycle));
}

/** Blocks what waits for a failed task, be it of this plan or of an earlier one (C20). */
function blockStuckTasks(run: Run): void {
  const { tasks, blocked } = blockDependants(run.state.tasks);
  run.state.tasks = tasks;
  for (const id of blocked)
    run.journal('task_ended', { taskId: id, status: 'blocked', reason: 'dependency_failed' });
}

function noteLimit(run: Run, limit: string, taskId: string | null): void {
  run.journal('limit_reached', { limit, taskId });
}

function noteFallback(run: Run, role: string, errors: string[], fallback: string): void {
  run.journal('output_fallback', { role, errors, fallback });
}
