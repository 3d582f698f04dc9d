/** Decision tables: the model proposes in typed fields, these tables decide. The words of a reply decide nothing. */

import type { Outcome } from '../../run/limits/cause.js';
import { type Cause, outcomeOf } from '../../run/limits/cause.js';
import type { ExecutionOutput, PlanOutput, VerdictOutput } from '../../run/outputs/contracts.js';
import { isRoleForm } from '../../run/outputs/role-form.js';
import { isUndone, planInForce, type Task, UNCONFIRMED } from '../../run/plan/plan.js';
import { readParts } from '../outputs/content-parts.js';
import { isEmptyPhrase, saysNothing } from '../outputs/empty-phrase.js';

type TaskDecision = 'completed' | 'skipped' | 'retry' | 'failed' | 'continue';

export interface DecidedTask {
  decision: TaskDecision;
  by: 'taskCompleted' | 'nextAction' | 'todos' | 'shouldContinue' | 'none';
}

/** Decides whether a task is done (F1, F2, F3). `taskCompleted` comes first: `false` overrides `nextAction: complete`. */
export function decideTask(output: ExecutionOutput, taskId: string): DecidedTask {
  const { taskCompleted, nextAction, shouldContinue } = output;
  if (taskCompleted === true) return { decision: 'completed', by: 'taskCompleted' };
  if (nextAction === 'skip') return { decision: 'skipped', by: 'nextAction' };
  if (nextAction === 'retry') return { decision: 'retry', by: 'nextAction' };
  if (taskCompleted === null) {
    if (nextAction === 'complete') return { decision: 'completed', by: 'nextAction' };
    const own = output.todos.find(todo => todo.id === taskId);
    if (own?.status === 'completed') return { decision: 'completed', by: 'todos' };
  }
  if (shouldContinue === false) return { decision: 'failed', by: 'shouldContinue' };
  return { decision: 'continue', by: taskCompleted === false ? 'taskCompleted' : 'none' };
}

export interface DecidedVerdict {
  done: boolean;
  /** The cause of an end by this verdict: `verified` if the run's own record agrees; null if not done. */
  cause: Cause | null;
  /** Requirements for the next plan; never empty if not done. */
  improvements: string[];
  /** The verdict's contradictions of itself, in sentences. */
  contradictions: string[];
}

/** Compares a verdict with the run's own record (F8, F10): the stricter wins. A verdict that contradicts itself is not done. */
export function decideVerdict(verdict: VerdictOutput, tasks: readonly Task[]): DecidedVerdict {
  // A verdict that the record contradicts ends the goal unverified: its judge is satisfied, so another plan changes nothing.
  const plan = planInForce(tasks);
  const open = verdict.tasks.filter(task => !task.completed && plan.some(({ id }) => id === task.id));
  const contradictions: string[] = [];
  if (verdict.allCompleted) {
    for (const task of open)
      contradictions.push(`allCompleted is true, but task ${task.id} is not completed.`);
  }
  const success = verdict.allCompleted && verdict.userNeedsSatisfied;
  if (success && verdict.summary === null) contradictions.push('Success is claimed without a summary.');
  const done = success && contradictions.length === 0;
  const cause = done ? causeByRecord(verdict, plan) : null;
  if (done || verdict.improvements.length > 0)
    return { done, cause, improvements: verdict.improvements, contradictions };
  const feedback = open.map(task => `Task ${task.id}: ${task.feedback || 'it is not completed.'}`);
  const overall = verdict.overallFeedback.trim() === '' ? [] : [verdict.overallFeedback];
  const derived = [...feedback, ...(feedback.length === 0 ? contradictions : []), ...overall];
  return { done, cause, improvements: derived.length > 0 ? derived : [NO_REASON], contradictions };
}

function causeByRecord(verdict: VerdictOutput, plan: readonly Task[]): Cause {
  if (nothingAchieved(plan)) return 'failed:tasks';
  if (plan.some(({ status }) => status === 'failed')) return 'tasks_failed';
  if (plan.some(isUndone)) return 'tasks_open';
  const named = new Set(verdict.tasks.map(({ id }) => id));
  if (plan.some(({ id }) => !named.has(id))) return 'verdict_incomplete';
  if (plan.some(({ reason }) => reason === UNCONFIRMED)) return 'not_confirmed';
  return 'verified';
}

/** Returns the cause for a goal whose plan is not verified, from the run's own record of its tasks. */
export function causeOfPlan(tasks: readonly Task[]): Cause {
  const plan = planInForce(tasks);
  if (nothingAchieved(plan)) return 'failed:tasks';
  if (plan.some(({ status }) => status !== 'completed')) return 'carried_out_partly';
  return plan.some(({ reason }) => reason === UNCONFIRMED) ? 'not_confirmed' : 'carried_out';
}

function nothingAchieved(plan: readonly Task[]): boolean {
  const achieved = plan.some(({ status }) => status === 'completed' || status === 'skipped');
  return !achieved && plan.some(({ status }) => status === 'failed');
}

const NO_REASON =
  'The verification found the goal not met and did not say why: check every task against the goal.';

/** Decides after a planner's round (L2, L8). An empty first plan that asks for more does not count as a repetition. */
export function planningDecision(given: {
  // `output` null: unreadable; `round`: rounds used, including this one; `taskCount`: tasks after the merge.
  output: PlanOutput | null;
  round: number;
  limit: number;
  changed: boolean;
  taskCount: number;
}): 'plan_again' | 'execute' | 'direct_answer' {
  const { output, round, limit } = given;
  const bringsNew = given.changed || (round <= 1 && output?.tasks.length === 0);
  if (output?.needsMorePlanning && round < limit && bringsNew) return 'plan_again';
  return given.taskCount > 0 ? 'execute' : 'direct_answer';
}

export interface AnswerCandidates {
  cause: Cause;
  /** A last text of a role: from a wrap-up call, or about a plan that was not approved. */
  lastWord: string | null;
  /** The summary of the last verification that has one. */
  verifierSummary: string | null;
  /** The text of a reply that was cut short. */
  cutShort: string | null;
  tasks: readonly Pick<Task, 'description' | 'status' | 'result'>[];
}

export interface FinalAnswer {
  /** Markdown; empty only if there was no text at all. */
  answer: string;
  /** The given cause, or a worse one: an answer without content is not verified. */
  cause: Cause;
  outcome: Outcome;
  from: 'last_word' | 'verifier' | 'cut_short' | 'tasks' | 'none';
}

/** Returns a goal's answer and outcome (C9): the first candidate that says more than "it is done". */
export function finalAnswer(given: AnswerCandidates): FinalAnswer {
  const candidates = [
    { answer: given.lastWord?.trim() ?? '', from: 'last_word' as const },
    // The summary claims success although nothing was done; the reports show what happened.
    {
      answer: given.cause === 'failed:tasks' ? '' : (given.verifierSummary?.trim() ?? ''),
      from: 'verifier' as const,
    },
    { answer: given.cutShort?.trim() ?? '', from: 'cut_short' as const },
    { answer: taskReports(given.tasks), from: 'tasks' as const },
  ].filter(({ answer }) => !isRoleForm(answer));
  const spoken = candidates.filter(({ answer }) => !saysNothing(answer));
  const chosen = spoken.find(({ answer }) => !isEmptyPhrase(answer)) ?? spoken[0] ?? shownAnswer(given);
  const isGiven = spoken.some(({ from }) => from === 'verifier');
  const cause = causeOf(given.cause, isGiven, chosen !== null);
  return { ...(chosen ?? { answer: '', from: 'none' }), cause, outcome: outcomeOf(cause) };
}

/** A role's own form is meant for the run; people see it only if there is no other text and it is a complete component. */
function shownAnswer({ lastWord }: AnswerCandidates): Pick<FinalAnswer, 'answer' | 'from'> | null {
  const answer = lastWord?.trim() ?? '';
  return isRoleForm(answer) && readParts(answer) !== null ? { answer, from: 'last_word' } : null;
}

function causeOf(cause: Cause, isGiven: boolean, said: boolean): Cause {
  if (cause === 'verified') return isGiven ? cause : said ? 'empty_answer' : 'failed:no_answer';
  const outcome = outcomeOf(cause);
  return said || outcome === 'stopped' || outcome === 'cancelled' || outcome === 'failed'
    ? cause
    : 'failed:no_answer';
}

function taskReports(tasks: AnswerCandidates['tasks']): string {
  return tasks
    .filter(task => task.result !== null && task.result.trim() !== '')
    .map(task => `## ${task.description} (${task.status})\n\n${task.result?.trim() ?? ''}`)
    .join('\n\n');
}

// Lets a planner that repeats itself ask the user instead (C34).

export interface PlanningRound {
  /** Null if unreadable. */
  output: PlanOutput | null;
  /** Planner rounds used in this cycle, including this one. */
  round: number;
  taskCount: number;
  /** The user was asked about this goal before; the planner then does its best. */
  askedBefore: boolean;
}

const MISSING =
  'The planner cannot make a plan from this goal. What exactly is wanted, and what may be assumed?';

/** Returns the question after two rounds that want more planning without tasks: only the user has the missing facts. */
export function planningQuestion({ output, round, taskCount, askedBefore }: PlanningRound): string | null {
  if (output === null || !output.needsMorePlanning) return null;
  if (askedBefore || taskCount > 0 || round < 2) return null;
  return output.summary.trim() || MISSING;
}
