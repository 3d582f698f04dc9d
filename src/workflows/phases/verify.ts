/** The verification phase: one verdict, and what follows from it (L4, L5). */
import { ANSWER_BYTES, CONCERNS_BYTES, IMPROVEMENTS_BYTES } from '../../core/bounds.js';
import { unansweredBrief, verificationBrief } from '../../core/briefs/briefs.js';
import { decideVerdict } from '../../core/decide.js';
import { fitted } from '../../core/fit.js';
import { plansLeft } from '../../core/limits.js';
import { isEmptyPhrase } from '../../core/outputs/empty-phrase.js';
import { confirmationReasons } from '../../core/outputs/envelope.js';
import { questionText, specialText } from '../../core/outputs/special-output.js';
import type { VerdictOutput } from '../../core/outputs/team-outputs.js';
import { isOpen, rejectTasks } from '../../core/plan.js';
import { preview } from '../../core/preview.js';
import { ask } from '../gates.js';
import type { Run } from '../run.js';
import { keepText } from '../turn/keep-text.js';
import { wish } from '../turn/take-steering.js';
import { runTurns } from '../turn/turn-loop.js';
import type { GoalEnd } from './conclude.js';
import { answerFor, concludeEarly, wrapUpAs } from './conclude.js';
import { confirm } from './confirm.js';
import { noteFallback, noteLimit } from './notes.js';

const VERIFIER = 'verifier';

/**
 * One verdict: done, or back to the planner with improvements, until the cap. A verdict on a
 * plan that a person has added to meanwhile ends nothing: what is open is done first, and then verified.
 */
export async function verify(run: Run): Promise<GoalEnd | null> {
  const end = await judge(run);
  if (end === null || end.cause === 'stopped' || end.failure || !hasOpen(run)) return end;
  run.enterPhase('execution', run.state.cursor.cycle);
  return null;
}

async function judge(run: Run): Promise<GoalEnd | null> {
  const { state } = run;
  const { question, concerns, reporting } = state.cursor;
  if (question !== null) return clarify(run, question);
  if (concerns.length > 0) return confirmVerdict(run);
  const end = await runTurns(run, {
    role: VERIFIER,
    output: 'verdict',
    maxRounds: reporting ? 2 : 1,
    tools: false,
    brief: () => (reporting ? unansweredBrief(state) : verificationBrief(state)),
    leaves: () => leaves(run),
  });
  switch (end.kind) {
    case 'reply':
      return apply(run, end.output, confirmationReasons(end.envelope));
    case 'special':
      if (end.special.kind === 'error' || reporting) return noVerdict(run, [specialText(end.special)]);
      state.cursor.question = questionText(end.special);
      return null;
    case 'unusable':
      return noVerdict(run, end.errors);
    case 'rounds_used':
      return noVerdict(run, ['its one round is used up']);
    default:
      return concludeEarly(run, end);
  }
}

function hasOpen({ state }: Run): boolean {
  return state.tasks.some(isOpen);
}

/** True where there is nothing to verify yet, or no verification left for what was added after the last one. */
function leaves(run: Run): boolean {
  const { goal, cursor } = run.state;
  if (hasOpen(run)) {
    run.enterPhase('execution', cursor.cycle);
    return true;
  }
  if (goal.counters.verification < run.pinned.limits.verification) return false;
  noteLimit(run, 'verification', null);
  wrapUpAs(run, 'verification_cap', 'the plan was changed after the last verification that its limit allows');
  return true;
}

function noVerdict(run: Run, errors: string[]): null {
  noteFallback(run, VERIFIER, errors, hasOpen(run) ? 'the tasks that are open' : 'an unverified answer');
  if (hasOpen(run)) run.enterPhase('execution', run.state.cursor.cycle);
  else wrapUpAs(run, 'no_verdict', 'the verification gave no verdict');
  return null;
}

async function apply(run: Run, output: VerdictOutput, concerns: string[]): Promise<GoalEnd | null> {
  const { state } = run;
  const { goal } = state;
  goal.counters = { ...goal.counters, verification: goal.counters.verification + 1 };
  const { done, cause, improvements, contradictions } = decideVerdict(output, state.tasks);
  run.journal('verdict', { done, feedback: preview(output.overallFeedback), improvements, contradictions });
  if (output.summary && !isEmptyPhrase(output.summary))
    goal.lastSummary = await keepText(run, 'summary', output.summary, ANSWER_BYTES);
  if (cause === 'verified' && concerns.length > 0) {
    state.cursor.concerns = fitted(concerns, CONCERNS_BYTES);
    return null;
  }
  if (cause !== null) return answerFor(run, cause);
  state.tasks = rejectTasks(
    state.tasks,
    output.tasks.filter(task => !task.completed).map(task => task.id),
  );
  return planAgain(run, improvements, 'verification');
}

/** Back to the planner, while verifications are left. */
function planAgain(run: Run, improvements: string[], from: 'verification' | 'user'): GoalEnd | null {
  const { goal, cursor } = run.state;
  goal.improvements = fitted(improvements, IMPROVEMENTS_BYTES);
  goal.improvementsFrom = from;
  if (plansLeft(goal.counters, run.pinned.limits) <= 0) {
    noteLimit(run, 'verification', null);
    return answerFor(run, 'verification_cap');
  }
  run.enterPhase('planning', cursor.cycle + 1);
  return null;
}

/** A verdict that a person is to confirm: without a person the answer stands, unverified. */
async function confirmVerdict(run: Run): Promise<GoalEnd | null> {
  const { goal, cursor } = run.state;
  const confirmed = await confirm(run, {
    key: `confirm:${goal.number}:${cursor.cycle}:verdict`,
    title: 'Take this as the answer?',
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
      return planAgain(run, [confirmed.instead ?? 'The person did not accept the answer.'], 'user');
  }
}

/** A question of the verifier to the person. The answer costs no round; without one, one reply is left to it. */
async function clarify(run: Run, question: string): Promise<GoalEnd | null> {
  const { goal, cursor } = run.state;
  const asked = await ask(run, {
    key: `verify:${goal.number}:${cursor.cycle}`,
    kind: 'question',
    title: preview(question),
    body: question,
    subject: { role: VERIFIER },
  });
  if (asked.kind !== 'answered') return answerFor(run, 'stopped');
  cursor.question = null;
  const { text } = asked.answer;
  if (text === null) {
    cursor.reporting = true;
    cursor.briefed = false;
  } else {
    cursor.round = Math.max(0, cursor.round - 1);
    wish(run, text);
    run.say(run.threadOf(run.role(VERIFIER)), 'steer', text);
  }
  return null;
}
