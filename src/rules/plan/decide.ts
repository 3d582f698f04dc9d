/** Decision tables: the model proposes through typed fields, these decide. No words are read. */

import type { Outcome } from '../../run/limits/cause.js';
import { type Cause, outcomeOf } from '../../run/limits/cause.js';
import type { ExecutionOutput, PlanOutput, VerdictOutput } from '../../run/outputs/contracts.js';
import { isUndone, planInForce, type Task, UNCONFIRMED } from '../../run/plan/plan.js';
import { readParts } from '../outputs/content-parts.js';
import { isEmptyPhrase, isRoleForm, saysNothing } from '../outputs/empty-phrase.js';

type TaskDecision = 'completed' | 'skipped' | 'retry' | 'failed' | 'continue';

export interface DecidedTask {
  decision: TaskDecision;
  by: 'taskCompleted' | 'nextAction' | 'todos' | 'shouldContinue' | 'none';
}

/** Is a task done? (F1, F2, F3) `taskCompleted` beats all, so `false` also beats `nextAction: complete`. */
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
  /** Of an end by this verdict: `verified` where the run's own record agrees; null when not done. */
  cause: Cause | null;
  /** What the next plan must meet: never empty when not done. */
  improvements: string[];
  /** Where the verdict speaks against itself, in sentences. */
  contradictions: string[];
}

/** Holds a verdict against the run's own record (F8, F10): the stricter wins. One that contradicts itself is not done. */
export function decideVerdict(verdict: VerdictOutput, tasks: readonly Task[]): DecidedVerdict {
  // One that the record contradicts ends the goal unverified: its judge is satisfied, so another plan changes
  // nothing.
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

/** Why a goal ends whose plan nobody verifies: what the run's own record says of its tasks. */
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

/** After a planner's round (L2, L8). An empty first plan that asks for more is not a repeated one. */
export function planningDecision(given: {
  // `output` null: it could not be read; `round`: rounds used, this one too; `taskCount`: tasks after the merge.
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
  /** Written as the last word: by a wrap-up call, or a plan that was not approved. */
  lastWord: string | null;
  /** Of the last verification that gave one. */
  verifierSummary: string | null;
  /** Of a reply that was cut short. */
  cutShort: string | null;
  tasks: readonly Pick<Task, 'description' | 'status' | 'result'>[];
}

export interface FinalAnswer {
  /** Markdown; empty only when nothing was said at all. */
  answer: string;
  /** As given, or a worse one: an answer that says nothing is not verified. */
  cause: Cause;
  outcome: Outcome;
  from: 'last_word' | 'verifier' | 'cut_short' | 'tasks' | 'none';
}

/** The answer of a goal and its outcome (C9): the first of the candidates that says more than "it is done". */
export function finalAnswer(given: AnswerCandidates): FinalAnswer {
  const candidates = [
    { answer: given.lastWord?.trim() ?? '', from: 'last_word' as const },
    // It says that all is well, and nothing is done: the reports say what happened.
    {
      answer: given.cause === 'failed:tasks' ? '' : (given.verifierSummary?.trim() ?? ''),
      from: 'verifier' as const,
    },
    { answer: given.cutShort?.trim() ?? '', from: 'cut_short' as const },
    { answer: taskReports(given.tasks), from: 'tasks' as const },
  ].filter(({ answer }) => !isRoleForm(answer));
  const spoken = candidates.filter(({ answer }) => !saysNothing(answer));
  const said = spoken.find(({ answer }) => !isEmptyPhrase(answer)) ?? spoken[0] ?? shownAnswer(given);
  const isGiven = spoken.some(({ from }) => from === 'verifier');
  const cause = causeOf(given.cause, isGiven, said !== null);
  return { ...(said ?? { answer: '', from: 'none' }), cause, outcome: outcomeOf(cause) };
}

/** A role's own form is made for the run, and people are shown it where nobody says more: as a whole it is a component. */
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

// When a planner that goes round in circles asks the user instead (C34).

export interface PlanningRound {
  /** Null where it could not be read. */
  output: PlanOutput | null;
  /** Planner rounds used in this cycle, this one included. */
  round: number;
  taskCount: number;
  /** The user has been asked about this goal before: then the planner does the best it can. */
  askedBefore: boolean;
}

const MISSING =
  'The planner can not make a plan from this goal. What exactly is wanted, and what may be assumed?';

/** What to ask after two rounds that want more planning and brought no task: what is missing is with the user. */
export function planningQuestion({ output, round, taskCount, askedBefore }: PlanningRound): string | null {
  if (output === null || !output.needsMorePlanning) return null;
  if (askedBefore || taskCount > 0 || round < 2) return null;
  return output.summary.trim() || MISSING;
}
