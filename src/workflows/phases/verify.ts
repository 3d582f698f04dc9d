/** The verification phase: one verdict, and what follows from it (L4, L5). */

import { plansLeft } from '../../core/limits/limits.js';
import { isEmptyPhrase } from '../../core/outputs/empty-phrase.js';
import { confirmationReasons } from '../../core/outputs/envelope.js';
import { questionText, specialText } from '../../core/outputs/special-output.js';
import type { VerdictOutput } from '../../core/outputs/team-outputs.js';
import { decideVerdict } from '../../core/plan/decide.js';
import { isOpen, rejectTasks } from '../../core/plan/plan.js';
import { unansweredBrief, verificationBrief } from '../../core/prompts/briefs.js';
import { ANSWER_BYTES, CONCERNS_BYTES } from '../../core/state/bounds.js';
import type { Verification } from '../../core/state/place.js';
import { executionAt } from '../../core/state/place.js';
import { fitted } from '../../core/text/fit.js';
import { preview } from '../../core/text/preview.js';
import { askFor } from '../gates.js';
import type { Run } from '../run.js';
import { keepText } from '../turn/keep-text.js';
import { wish } from '../turn/take-steering.js';
import { runTurns } from '../turn/turn-loop.js';
import type { GoalEnd } from './conclude.js';
import { answerFor, concludeEarly, wrapUpAs } from './conclude.js';
import { confirm } from './confirm.js';
import { giveRoundBack, noteFallback, noteLimit } from './notes.js';
import { planAnew } from './plan-anew.js';

const VERIFIER = 'verifier';

/**
 * One verdict: done, or back to the planner with improvements, until the cap. A verdict on a
 * plan that a person has added to meanwhile ends nothing: what is open is done first, and then verified.
 */
export async function verify(run: Run, place: Verification): Promise<GoalEnd | null> {
  const end = await judge(run, place);
  if (end === null || end.cause === 'stopped' || end.failure || !hasOpen(run)) return end;
  run.enter(executionAt(place.cycle));
  return null;
}

async function judge(run: Run, place: Verification): Promise<GoalEnd | null> {
  const { state } = run;
  const { step, unanswered } = place;
  if (step.kind === 'ask') return clarify(run, place, step.question);
  if (step.kind === 'confirm') return confirmVerdict(run, place, step.concerns);
  const end = await runTurns(run, {
    role: VERIFIER,
    output: 'verdict',
    maxRounds: unanswered ? 2 : 1,
    tools: false,
    brief: () => (unanswered ? unansweredBrief(state) : verificationBrief(state)),
    leaves: () => leaves(run, place),
  });
  switch (end.kind) {
    case 'reply':
      return apply(run, place, end.output, confirmationReasons(end.envelope, run.words));
    case 'special':
      if (end.special.kind === 'error' || unanswered)
        return noVerdict(run, place, [specialText(end.special, run.words)]);
      place.step = { kind: 'ask', question: questionText(end.special, run.words) };
      return null;
    case 'unusable':
      return noVerdict(run, place, end.errors);
    case 'rounds_used':
      return noVerdict(run, place, ['its one round is used up']);
    default:
      return concludeEarly(run, end);
  }
}

function hasOpen({ state }: Run): boolean {
  return state.tasks.some(isOpen);
}

/** True where there is nothing to verify yet, or no verification left for what was added after the last one. */
function leaves(run: Run, { cycle }: Verification): boolean {
  const { goal } = run.state;
  if (hasOpen(run)) {
    run.enter(executionAt(cycle));
    return true;
  }
  if (goal.counters.verification < run.limits.verification) return false;
  noteLimit(run, 'verification', null);
  wrapUpAs(run, 'verification_cap', run.words.whyLateChange);
  return true;
}

function noVerdict(run: Run, { cycle }: Verification, errors: string[]): null {
  noteFallback(run, VERIFIER, errors, hasOpen(run) ? 'the tasks that are open' : 'an unverified answer');
  if (hasOpen(run)) run.enter(executionAt(cycle));
  else wrapUpAs(run, 'no_verdict', run.words.whyNoVerdict);
  return null;
}

async function apply(
  run: Run,
  place: Verification,
  output: VerdictOutput,
  concerns: string[],
): Promise<GoalEnd | null> {
  const { state } = run;
  const { goal } = state;
  goal.counters = { ...goal.counters, verification: goal.counters.verification + 1 };
  const { done, cause, improvements, contradictions } = decideVerdict(output, state.tasks);
  run.journal('verdict', { done, feedback: preview(output.overallFeedback), improvements, contradictions });
  if (output.summary && !isEmptyPhrase(output.summary))
    goal.lastSummary = await keepText(run, 'summary', output.summary, ANSWER_BYTES);
  if (cause === 'verified' && concerns.length > 0) {
    place.step = { kind: 'confirm', concerns: fitted(concerns, CONCERNS_BYTES) };
    return null;
  }
  if (cause !== null) return answerFor(run, cause);
  state.tasks = rejectTasks(
    state.tasks,
    output.tasks.filter(task => !task.completed).map(task => task.id),
  );
  return planAgain(run, { from: 'verification', wanted: improvements });
}

/** Back to the planner, while verifications are left. */
function planAgain(
  run: Run,
  improvements: { from: 'verification' | 'user'; wanted: string[] },
): GoalEnd | null {
  if (plansLeft(run.state.goal.counters, run.limits) <= 0) {
    noteLimit(run, 'verification', null);
    return answerFor(run, 'verification_cap');
  }
  planAnew(run, improvements);
  return null;
}

/** A verdict that a person is to confirm: without a person the answer stands, unverified. */
async function confirmVerdict(
  run: Run,
  { cycle }: Verification,
  concerns: string[],
): Promise<GoalEnd | null> {
  const { goal } = run.state;
  const confirmed = await confirm(run, concerns, {
    key: `confirm:${goal.number}:${cycle}:verdict`,
    title: run.words.gateAnswer,
    body: preview(goal.lastSummary ?? '', 2_000),
  });
  switch (confirmed.kind) {
    case 'yes':
      return answerFor(run, 'verified');
    case 'nobody':
      return answerFor(run, 'not_confirmed');
    case 'stopped':
      return answerFor(run, 'stopped');
    case 'no':
      if (confirmed.instead !== null) wish(run, confirmed.instead);
      return planAgain(run, {
        from: 'user',
        wanted: [confirmed.instead ?? 'The person did not accept the answer.'],
      });
  }
}

/** A question of the verifier to the person. The answer costs no round; without one, one reply is left to it. */
async function clarify(run: Run, place: Verification, question: string): Promise<GoalEnd | null> {
  const { goal } = run.state;
  const asked = await askFor(run, {
    key: `verify:${goal.number}:${place.cycle}`,
    role: VERIFIER,
    question,
  });
  if (asked.kind !== 'answered') return answerFor(run, 'stopped');
  place.step = { kind: 'verify' };
  const { text } = asked.answer;
  if (text === null) {
    place.unanswered = true;
    place.turns.briefed = false;
  } else {
    giveRoundBack(place);
    wish(run, text);
    run.say(run.threadOf(run.role(VERIFIER)), 'steer', text);
  }
  return null;
}
