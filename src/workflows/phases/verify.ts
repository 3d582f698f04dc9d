/** The verification phase: one verdict, and what follows from it (L4, L5). */

import { ANSWER_BYTES, CONCERNS_BYTES, EXCEPTIONS_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { visibleText } from '../../base/text/unseen.js';
import { saysNothing } from '../../rules/outputs/empty-phrase.js';
import { decideVerdict } from '../../rules/plan/decide.js';
import { verificationInstruction } from '../../rules/prompts/instructions.js';
import type { CheckResult } from '../../run/checks/check.js';
import { plansLeft } from '../../run/limits/limits.js';
import type { VerdictOutput } from '../../run/outputs/contracts.js';
import { confirmationReasons } from '../../run/outputs/envelope.js';
import { questionText, specialText } from '../../run/outputs/special-output.js';
import { isOpen, rejectTasks } from '../../run/plan/plan.js';
import { executionAt, type Verification, verificationAt } from '../../run/position/position.js';
import type { VerdictRests } from '../beside/feature.js';
import { beforeVerdict, verdictRests } from '../beside/moments.js';
import { askFor, confirm } from '../run/gates.js';
import { keepText } from '../run/keep-text.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import {
  enterChecks,
  giveRoundBack,
  noteFallback,
  noteLimit,
  planAnew,
  withdrawVerdict,
} from '../say/notes.js';
import { recallRounds, withRecalls } from '../turn/fit-thread.js';
import { runTurns } from '../turn/turn-loop.js';
import { answerFor, concludeEarly, type StepEnd, wrapUpAs } from './conclude.js';

const VERIFIER = 'verifier';

/** Gets one verdict: done, or back to the planner, up to the limit. Tasks that a person has added meanwhile run first. */
export async function verify(run: Run, position: Verification): Promise<StepEnd> {
  const end = await judge(run, position);
  if (end === MOVED || end.cause === 'stopped' || end.failure || !hasOpen(run)) return end;
  withdrawVerdict(run);
  return run.enter(executionAt(position.cycle));
}

async function judge(run: Run, position: Verification): Promise<StepEnd> {
  const { state } = run;
  const { step, unanswered } = position;
  if (step.kind === 'ask') return clarify(run, position, step.question);
  if (step.kind === 'confirm') return confirmVerdict(run, position, step.concerns);
  const role = run.role(VERIFIER);
  const looks = () => run.limits.looks + recallRounds(run, role, run.threadOf(role));
  const end = await runTurns(run, {
    role: VERIFIER,
    output: 'verdict',
    get maxRounds() {
      return looks() + (unanswered ? 2 : 1);
    },
    // The last reply is the verdict.
    get tools() {
      return position.turns.round < looks();
    },
    prepare: () => prepare(run, position),
    instruction: () =>
      withRecalls(
        run,
        role,
        unanswered ? run.words.verdictUnanswered : verificationInstruction(state, position),
      ),
    leaves: () => leaves(run, position),
  });
  switch (end.kind) {
    case 'reply':
      return apply(run, position, end.output, confirmationReasons(end.envelope, run.words));
    case 'special':
      if (end.special.kind === 'error' || unanswered)
        return noVerdict(run, position, [specialText(end.special, run.words)]);
      position.step = { kind: 'ask', question: questionText(end.special, run.words) };
      return MOVED;
    case 'unusable':
      return noVerdict(run, position, end.errors);
    case 'rounds_used':
      return noVerdict(run, position, ['its one round is used up']);
    default:
      return concludeEarly(run, end);
  }
}

/** Collects the facts that this verdict may cite, once. Null: there is nothing to wait for. */
function prepare(run: Run, position: Verification): Promise<void> | null {
  if (position.looked !== null) return null;
  // Others may have changed files since they were read: a verifier that looks must read them anew (WK3).
  if (run.limits.looks > 0) run.doubtReads();
  return beforeVerdict(run, position);
}

function hasOpen({ state }: Run): boolean {
  return state.tasks.some(isOpen);
}

/** True if it moved the run: tasks are open, or no verification is left for what was added after the last one. */
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

function noVerdict(run: Run, { cycle }: Verification, errors: string[]): Moved {
  noteFallback(run, VERIFIER, errors, hasOpen(run) ? 'the tasks that are open' : 'an unverified answer');
  if (hasOpen(run)) return run.enter(executionAt(cycle));
  return wrapUpAs(run, 'no_verdict', run.words.whyNoVerdict);
}

async function apply(
  run: Run,
  position: Verification,
  output: VerdictOutput,
  concerns: string[],
): Promise<StepEnd> {
  const { state } = run;
  const { goal } = state;
  goal.counters = { ...goal.counters, verification: goal.counters.verification + 1 };
  const decided = decideVerdict(output, state.tasks);
  const { cause, improvements } = decided;
  const { basis, changed } = cause === 'verified' ? await verdictRests(run, position, output) : UNTESTED;
  const again = changed.length > 0 && !position.anew && plansLeft(goal.counters, run.limits) > 0;
  // A check whose file has changed is repeated, or counts as failed.
  const unchecked = forgetChecked(run, changed);
  run.journal('verdict', {
    done: decided.done && !again && !unchecked,
    feedback: preview(output.overallFeedback),
    improvements,
    contradictions: [
      ...decided.contradictions,
      ...changed.map(path => `${path} has changed since it was looked at.`),
    ],
    ...(basis !== null && { basis }),
  });
  if (output.summary && !saysNothing(output.summary))
    goal.lastSummary = await keepText(run, 'summary', output.summary, ANSWER_BYTES);
  if (unchecked && plansLeft(goal.counters, run.limits) > 0)
    return enterChecks(run, { kind: 'plan' }) ?? MOVED;
  if (unchecked) return answerFor(run, 'checks_failed');
  if (again) return run.enter(verificationAt(position.cycle, true));
  goal.basis = basis;
  goal.exceptions = decided.done ? fitted(output.exceptions, EXCEPTIONS_BYTES) : [];
  if (cause === 'verified' && concerns.length > 0) {
    position.step = { kind: 'confirm', concerns: fitted(concerns, CONCERNS_BYTES) };
    return MOVED;
  }
  if (cause !== null) return answerFor(run, cause);
  state.tasks = rejectTasks(
    state.tasks,
    output.tasks.filter(task => !task.completed).map(task => task.id),
  );
  return planAgain(run, { from: 'verification', wanted: improvements });
}

/** Marks passed checks of files that have changed as failed. Returns true if there is one. */
function forgetChecked({ state }: Run, changed: readonly string[]): boolean {
  const { checks } = state.goal;
  const isOld = ({ file, status }: CheckResult) =>
    status === 'passed' && file !== undefined && changed.includes(file.path);
  if (!checks.results.some(isOld)) return false;
  const why = 'what it looked at has changed after it passed';
  checks.results = checks.results.map(each => (isOld(each) ? { ...each, status: 'failed', why } : each));
  return true;
}

const UNTESTED: VerdictRests = { basis: null, changed: [] };

/** Plans again while verifications are left. */
function planAgain(run: Run, improvements: { from: 'verification' | 'user'; wanted: string[] }): StepEnd {
  if (plansLeft(run.state.goal.counters, run.limits) <= 0) {
    noteLimit(run, 'verification', null);
    return answerFor(run, 'verification_cap');
  }
  return planAnew(run, improvements);
}

/** Asks a person to confirm a verdict: without a person the answer stands, unverified. */
async function confirmVerdict(run: Run, { cycle }: Verification, concerns: string[]): Promise<StepEnd> {
  const { goal } = run.state;
  const confirmed = await confirm(run, concerns, {
    key: `confirm:${goal.number}:${cycle}:verdict`,
    title: run.words.gateAnswer,
    body: preview(visibleText(goal.lastSummary ?? ''), 2_000),
  });
  switch (confirmed.kind) {
    case 'yes':
      return answerFor(run, 'verified');
    case 'nobody':
      return answerFor(run, 'not_confirmed');
    case 'stopped':
      return answerFor(run, 'stopped');
    case 'no':
      return planAgain(run, {
        from: 'user',
        wanted: [confirmed.instead ?? run.words.answerNotAccepted],
      });
  }
}

/** Asks the person the verifier's question. The answer costs no round; without one the verifier has one reply left. */
async function clarify(run: Run, position: Verification, question: string): Promise<StepEnd> {
  const { goal } = run.state;
  const asked = await askFor(run, {
    key: `verify:${goal.number}:${position.cycle}`,
    role: VERIFIER,
    question,
  });
  if (asked.kind !== 'answered') return answerFor(run, 'stopped');
  position.step = { kind: 'verify' };
  const { text } = asked.answer;
  if (text === null) {
    position.unanswered = true;
    position.turns.instructed = false;
  } else {
    giveRoundBack(position);
    run.tellRole(VERIFIER, text, question);
  }
  return MOVED;
}
