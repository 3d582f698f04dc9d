/** The goal's checks: they run one after the other before the goal counts as met, and their results decide what follows. */

import { preview } from '../../base/text/preview.js';
import { checksInstruction } from '../../rules/prompts/answer-instructions.js';
import { type Check, checkLine, checksOf } from '../../run/checks/check.js';
import { plansLeft } from '../../run/limits/limits.js';
import { isOpen } from '../../run/plan/plan.js';
import { stepsOf } from '../../run/position/modes.js';
import {
  type Answering,
  answeringAt,
  type CheckedWork,
  type Checking,
  executionAt,
} from '../../run/position/position.js';
import { isHeld, modeOf } from '../../run/state/run-state.js';
import { hash64 } from '../../run/tools/ledger.js';
import { answerFor, type StepEnd, whatThereIs, wrapUpAs } from '../../workflows/phases/conclude.js';
import { beginInterpreting, hasMessage, mustInterpret, roleHere } from '../../workflows/run/hearing.js';
import { MOVED, type Moved, type Run } from '../../workflows/run/run.js';
import { instruct } from '../../workflows/say/instruct.js';
import { goOnChecked, noteLimit, planAnew } from '../../workflows/say/notes.js';
import { safePoint } from '../../workflows/turn/safe-point.js';
import { applySteering } from '../../workflows/turn/turn-loop.js';
import { lookAtChecked } from './files.js';
import { endOf, makeCheck, noteBefore } from './make-check.js';
import { decideChecks, failedChecks, withResult } from './rules.js';

/** Runs the remaining checks, each between two safe points. An interrupted check runs again. */
export async function check(run: Run, position: Checking): Promise<StepEnd> {
  const { state } = run;
  const role = roleHere(run) ?? '';
  for (;;) {
    const wait = safePoint(run, () => mustInterpret(run, role));
    if (wait) await wait;
    if (state.people.stop) return endWith(run, position, 'stopped');
    if (position.of.kind !== 'answer' && state.tasks.some(isOpen))
      return run.enter(executionAt(position.cycle));
    if (listens(run, position, role)) return MOVED;
    const checks = checksOf(state);
    const next = checks[state.goal.checks.results.length];
    if (next === undefined) {
      await lookAtChecked(run);
      return decideAfterChecks(run, position);
    }
    await make(run, position, next);
  }
}

/** Handles a person's message before the next check. True if the run has left this position for it. */
function listens(run: Run, { of }: Checking, role: string): boolean {
  if (of.kind === 'answer') {
    if (!hasMessage(run, role)) return false;
    // The role that answered reads the message and answers again, so the results are void.
    run.state.goal.checks.results = [];
    run.enter(answersAgain(of));
    return true;
  }
  if (!isHeld(run.state)) return applySteering(run, role);
  beginInterpreting(run, role);
  return true;
}

function answersAgain(of: Extract<CheckedWork, { kind: 'answer' }>): Answering {
  const position = answeringAt(of.step, of);
  position.turns.instructed = true;
  return position;
}

async function make(run: Run, position: Checking, next: Check): Promise<void> {
  const { checks } = run.state.goal;
  const id = `c${checks.results.length + 1}`;
  const line = checkLine(next);
  run.journal('check_started', { id, check: line });
  const startedAt = run.ports.now();
  const called = await makeCheck(run, next, answerSoFar(run, position.of));
  run.ports.throwIfCancelled();
  const durationMs = run.ports.now() - startedAt;
  const end = endOf(called);
  const { status, why, output = '' } = end ?? { status: 'interrupted', why: 'it was cut off' };
  run.journal('check_ended', {
    role: roleHere(run) ?? '',
    ...{ id, check: line, status, why, output, durationMs },
  });
  if (status === 'interrupted') return;
  const isRed = checks.effects > 0 && checks.before?.red.some(each => each.index === checks.results.length);
  const ended = {
    ...{ id, check: line, status, why: preview(why, WHY_CHARS) },
    ...(output && { output }),
    ...(isRed && { redBefore: true as const }),
  };
  noteBefore(run, checks.results.length, { status, why, output });
  checks.results = withResult(checks.results, { ...ended, ms: durationMs });
}

const WHY_CHARS = 300;

function answerSoFar(run: Run, of: Checking['of']): string {
  return of.kind === 'answer' ? of.text : whatThereIs(run);
}

/** Decides when all checks have run: the goal goes on, its work is sent back, or it ends. */
function decideAfterChecks(run: Run, position: Checking): StepEnd {
  const { goal } = run.state;
  const { checks } = goal;
  const { results, failed } = checks;
  const { of } = position;
  const answer = hash64(answerSoFar(run, of));
  const acted = failed === null || checks.effects > failed.effects;
  // A function may judge the answer alone, so a new answer counts as a change.
  const judged = checksOf(run.state).filter((_, index) => results[index]?.status === 'failed');
  const changed = acted || (answer !== failed?.answer && judged.some(each => 'function' in each));
  const left = plansLeft(goal.counters, run.limits) - 1;
  const decided = decideChecks(results, { left, changed });
  if (decided === 'again' || decided === 'failed') {
    goal.counters = { ...goal.counters, verification: goal.counters.verification + 1 };
    checks.failed = { effects: checks.effects, answer };
  }
  switch (decided) {
    case 'again':
      return goBack(run, position);
    case 'failed':
      if (left <= 0) noteLimit(run, 'verification', null);
      return endWith(run, position, 'checks_failed');
    case 'not_run':
    case 'passed':
      return of.kind === 'answer' ? endWith(run, position, 'direct_answer') : goOnChecked(run, of);
  }
}

/** Sends failed checks to the role that can fix them: the planner, or the role that answered. */
function goBack(run: Run, { of }: Checking): Moved {
  const { checks } = run.state.goal;
  const wanted = failedChecks(checks, run.words);
  if (of.kind !== 'answer') return planAnew(run, { from: 'check', wanted });
  const name = stepsOf(modeOf(run.state))?.[of.step] ?? '';
  instruct(run, run.role(name), checksInstruction(run.state, wanted, checks.results));
  return run.enter(answersAgain(of));
}

/** Ends with the answer that was checked; for work with a plan, writes one that states how it ended. */
function endWith(run: Run, { of }: Checking, cause: 'stopped' | 'checks_failed' | 'direct_answer'): StepEnd {
  if (of.kind === 'answer') {
    const name = stepsOf(modeOf(run.state))?.[of.step] ?? '';
    const ended = cause === 'direct_answer' && of.unconfirmed ? 'not_confirmed' : cause;
    return answerFor(run, ended, of.text, run.role(name));
  }
  return cause === 'checks_failed' ? wrapUpAs(run, cause, run.words.whyChecks) : answerFor(run, cause);
}
