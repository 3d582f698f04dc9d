/** The cause of a goal's end: one closed union that determines outcome, exit code and words. */

import type { Basis, EndFacts } from '../evidence/evidence.js';
import { FAILURE } from './failure.js';
import type { BudgetKind } from './limits.js';

/**
 * `completed`: by a verdict, or by checks in a mode that does not verify. `answered`: in a mode that verifies nothing.
 * `unverified`: verification, checks or execution were due and did not succeed.
 */
export const OUTCOMES = [
  'completed',
  'answered',
  'unverified',
  'budget_exhausted',
  'stopped',
  'failed',
  'cancelled',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type Cause =
  /** `completed`: the verdict, the run's own record and every check agree. */
  | 'verified'
  /** `completed` in a mode that does not verify: every check of the goal passed. */
  | 'checked'
  /** A check failed, and the work can't go back again. */
  | 'checks_failed'
  /** A check could not be made, or was not made. */
  | 'checks_not_run'
  /** A mode without plans: the answer was given directly. */
  | 'direct_answer'
  /** The plan had no task: the answer was given without work to verify. */
  | 'no_plan'
  /** A mode that verifies nothing: executors reported every task of the plan as done. */
  | 'carried_out'
  /** A mode that verifies nothing: some tasks failed, were skipped or blocked, or the plan was aborted at a failure. */
  | 'carried_out_partly'
  | 'planning_cap'
  /** The rounds were used up before there was an answer. */
  | 'execution_cap'
  | 'verification_cap'
  | 'turn_cap'
  | `budget:${Exclude<BudgetKind, 'turns'>}`
  /** The verdict accepts, but the run's own record has open tasks. */
  | 'tasks_open'
  | 'tasks_failed'
  /** The verdict accepts, but leaves out tasks of the plan. */
  | 'verdict_incomplete'
  | 'no_verdict'
  /** A person did not confirm a thing that a role wanted confirmed. */
  | 'not_confirmed'
  /** The answer does not fit the schema that the start gave, also after it was asked for again. */
  | 'answer_not_typed'
  /** The answering role asked a question instead, and got no answer. */
  | 'not_answered'
  /** The verification accepted without giving an answer. */
  | 'empty_answer'
  | 'wrap_up_failed'
  | 'ended_by_orchestrator'
  | 'stopped'
  | 'stopped_by_orchestrator'
  /** A hook stopped the goal. */
  | 'hook_stop'
  /** The run's account has used up its credits, or its tokens of the day. */
  | 'credits'
  | 'plan_not_approved'
  | 'cancelled'
  /** `failed:tasks`: no task was achieved; `failed:no_answer`; `failed:role_error`: its role failed; else a failure type. */
  | `failed:${string}`;

export function outcomeOf(cause: Cause): Outcome {
  switch (cause) {
    case 'verified':
    case 'checked':
      return 'completed';
    case 'direct_answer':
    case 'carried_out':
      return 'answered';
    case 'stopped':
    case 'stopped_by_orchestrator':
    case 'hook_stop':
    case 'credits':
    case 'plan_not_approved':
      return 'stopped';
    case 'cancelled':
      return 'cancelled';
    default:
      if (cause.startsWith('failed:')) return 'failed';
      return cause.startsWith('budget:') ? 'budget_exhausted' : 'unverified';
  }
}

/** The cause of an outcome that lists assume if a run's memo names none. */
export const USUAL_CAUSES: Readonly<Partial<Record<Outcome, Cause>>> = {
  completed: 'verified',
  answered: 'direct_answer',
};

const BUDGETS: Record<BudgetKind, string> = {
  turns: 'model replies',
  totalTurns: 'model replies of the whole run',
  tokens: 'tokens',
  wallTimeMs: 'time',
  costUsd: 'money',
};

/** Returns one cause for the exhausted budgets: the run's own turns are a cap, all others are budgets. */
export function causeOfBudgets(budgets: readonly BudgetKind[]): Cause {
  for (const budget of budgets) if (budget !== 'turns') return `budget:${budget}`;
  return 'turn_cap';
}

/** Additional facts about a goal's end, as results and journals have them. */
type KnownFacts = { [K in keyof EndFacts]?: EndFacts[K] | null | undefined };

/** Failures of endpoints that say nothing about what is wrong here. */
const PASSING: ReadonlySet<Cause | null> = new Set<Cause>([
  'failed:model.rate_limited',
  'failed:model.overloaded',
  'failed:model.server_error',
]);

/** The advice for such an end. */
export const TRY_LATER =
  'Try again later, or name a model that takes over when this one fails (docs/models.md).';

/** True for the end of a goal that may succeed when it is tried again later, without a change. */
export function mayPass(cause: Cause | null): boolean {
  return PASSING.has(cause);
}

/** Returns one sentence for people. It mentions a limit only if one was reached. `rest`: the basis of a completed goal. */
export function causeText(cause: Cause, rest: KnownFacts = {}): string {
  if (cause === 'verified' && rest.basis) return `The answer was verified${basisText(rest)}.`;
  const budget = Object.entries(BUDGETS).find(([kind]) => cause === `budget:${kind}`);
  if (budget) return `The limit of ${budget[1]} was reached before the answer was verified.`;
  return TEXTS[cause] ?? 'The run could not go on.';
}

const RESTS: Readonly<Record<Basis, string>> = {
  checks: ', and every check passed',
  evidence: ', by evidence for each task',
  opinion: ", by the verifier's word alone",
};

/** Returns the words after "verified": the basis, and the number of parts that are impossible here. */
export function basisText({ basis, exceptions }: KnownFacts): string {
  const count = exceptions?.length ?? 0;
  const parts = count === 1 ? 'one part that is' : `${count} parts that are`;
  return `${basis ? RESTS[basis] : ''}${count === 0 ? '' : `, but for ${parts} impossible here`}`;
}

const TEXTS: Partial<Record<string, string>> = {
  verified: 'The answer was verified.',
  checked: 'Every check of the goal passed.',
  checks_failed: 'A check of the goal failed, so it does not count as completed.',
  checks_not_run: 'A check of the goal could not be made, so nothing proves that it is met.',
  direct_answer: 'The answer was given directly: this mode verifies nothing.',
  no_plan: 'The plan had no task: the answer was given directly, and nothing was verified.',
  carried_out: 'The tasks of the plan were carried out: this mode verifies nothing.',
  carried_out_partly: 'Tasks of the plan failed or were left out, and nothing was verified.',
  planning_cap: 'The limit of planning rounds was reached without a task: the answer was given directly.',
  execution_cap:
    'The limit of replies was reached before there was an answer: a higher limits.replies (limits.execution for a step, maxRounds for a role) or a follow-up goal lets it go on.',
  verification_cap: 'The limit of verifications was reached, and the last one still wanted more.',
  turn_cap: 'The limit of model replies was reached before the answer was verified.',
  tasks_open: 'The verification accepted the answer, but tasks of the plan were not carried out.',
  tasks_failed: 'The verification accepted the answer, but tasks of the plan failed.',
  verdict_incomplete: 'The verification accepted the answer, but its verdict leaves out tasks of the plan.',
  no_verdict: 'The verification gave no verdict.',
  not_confirmed: 'A result that a person had to confirm was not confirmed.',
  answer_not_typed:
    'The answer does not fit the schema that the start gave, not even after it was asked for again.',
  not_answered: 'The role that was to answer asked a question instead, which stayed unanswered.',
  empty_answer: 'The verification said that all is done and gave no answer: the answer is the reports.',
  wrap_up_failed: 'The model failed when the answer was to be written: the answer is the reports so far.',
  ended_by_orchestrator: 'The orchestrator ended the work before the answer was verified.',
  stopped: 'It was stopped: the answer has the results so far.',
  stopped_by_orchestrator: 'The orchestrator stopped the work: the answer has the results so far.',
  hook_stop: 'A hook ended it: the answer has the results so far.',
  credits: 'The account has no credits left, or no tokens of the day: the answer has the results so far.',
  plan_not_approved: 'The plan was not approved, so nothing was carried out.',
  cancelled: 'It was cancelled.',
  'failed:tasks': 'Tasks of the plan failed, and none was carried out.',
  'failed:hook': 'The hook at the end of a turn failed, so nothing says that the goal may go on.',
  'failed:no_answer': 'No reply could be used as an answer.',
  'failed:role_error': 'The role that was to answer reported an error instead.',
  [`failed:${FAILURE.run.busy}`]:
    'Its account has as many runs at work as it may: a later start may succeed.',
  [`failed:${FAILURE.model.refused}`]: 'The model declined to answer.',
  [`failed:${FAILURE.model.contentFilter}`]: "A content filter withheld the model's reply.",
};
