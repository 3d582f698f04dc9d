/**
 * Modes in which roles work on the goal itself, one or several in turn: a role's first reply without tool calls goes to the
 * next role, and the last role's is the answer (L14). They have no plan and no verification, which the outcome shows.
 */

import { ANSWER_BYTES, CONCERNS_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { visibleText } from '../../base/text/unseen.js';
import { fill } from '../../base/words/words.js';
import { answerInstruction, stepBeforeText } from '../../rules/prompts/answer-instructions.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { checksOf } from '../../run/checks/check.js';
import { type Limits, plansLeft } from '../../run/limits/limits.js';
import { confirmationReasons } from '../../run/outputs/envelope.js';
import { questionText, specialText } from '../../run/outputs/special-output.js';
import { roleAt, stepsOf } from '../../run/position/modes.js';
import { type Answering, answeringAt, newTurns } from '../../run/position/position.js';
import { modeOf } from '../../run/state/run-state.js';
import { askFor, confirm } from '../run/gates.js';
import { keepText } from '../run/keep-text.js';
import { MOVED, type Run } from '../run/run.js';
import { instruct } from '../say/instruct.js';
import { enterChecks, giveRoundBack, noteLimit } from '../say/notes.js';
import { runTurns, type TurnEnd } from '../turn/turn-loop.js';
import { answerFor, concludeEarly, type StepEnd, wrapUpAs } from './conclude.js';

export async function answer(run: Run, position: Answering): Promise<StepEnd> {
  const role = run.role(roleAt(modeOf(run.state), position));
  const { asking, unanswered } = position;
  if (asking?.kind === 'ask') return clarify(run, position, role, asking.question);
  if (asking?.kind === 'confirm') return confirmAnswer(run, position, role, asking);
  const rounds = roundsOf(run, role);
  const end = await runTurns(run, {
    role: role.name,
    output: 'text',
    maxRounds: rounds + answerRound(run) + (unanswered ? 1 : 0),
    tools: true,
    instruction: () => instructionAt(run, position, role),
  });
  switch (end.kind) {
    case 'reply':
      return take(run, position, role, end);
    case 'special':
      if (end.special.kind === 'error')
        return answerFor(run, 'failed:role_error', specialText(end.special, run.words));
      if (unanswered) return answerFor(run, 'not_answered', questionText(end.special, run.words));
      position.asking = { kind: 'ask', question: questionText(end.special, run.words) };
      return MOVED;
    case 'unusable':
      return wrapUpAs(run, 'direct_answer', run.words.whyUnreadable);
    case 'rounds_used':
      noteLimit(run, rolesOf(run).length === 1 ? 'replies' : 'execution', null);
      return wrapUpAs(run, 'execution_cap', fill(run.words.whyRounds, { rounds }));
    default:
      return concludeEarly(run, end);
  }
}

function instructionAt(run: Run, { step }: Answering, role: PinnedRole): string {
  const next = nextRole(run, step)?.name ?? null;
  const turn = { number: step + 1, of: rolesOf(run).length, rounds: roundsOf(run, role), next };
  return answerInstruction(run.state, role, turn);
}

/** Asks the person the question of a role's reply, like `ask_person` does. The answer costs no round. */
async function clarify(run: Run, position: Answering, role: PinnedRole, question: string): Promise<StepEnd> {
  const key = `answer:${run.state.goal.number}:${position.step}`;
  const asked = await askFor(run, { key, role: role.name, question });
  if (asked.kind !== 'answered') return answerFor(run, 'stopped');
  delete position.asking;
  const { text } = asked.answer;
  if (text === null) {
    position.unanswered = true;
    instruct(run, role, run.words.noteNobodyAnswers);
  } else {
    giveRoundBack(position);
    run.tellRole(role.name, text, question);
  }
  return MOVED;
}

/** Asks the person about what the role's envelope wants confirmed, before the answer counts. */
async function take(
  run: Run,
  position: Answering,
  role: PinnedRole,
  { output, envelope }: Pick<Extract<TurnEnd<'text'>, { kind: 'reply' }>, 'output' | 'envelope'>,
): Promise<StepEnd> {
  const concerns = fitted(confirmationReasons(envelope, run.words), CONCERNS_BYTES);
  if (concerns.length === 0) return handOn(run, position, role, output);
  const stored = await keepText(run, `answer-${position.step + 1}`, output, ANSWER_BYTES - CONCERNS_BYTES);
  position.asking = { kind: 'confirm', concerns, answer: stored };
  return MOVED;
}

/** Asks for confirmation. A refused answer goes back to its role with the person's words: each time counts as a verification. */
async function confirmAnswer(
  run: Run,
  position: Answering,
  role: PinnedRole,
  { concerns, answer: given }: { concerns: string[]; answer: string },
): Promise<StepEnd> {
  const { goal } = run.state;
  const confirmed = await confirm(run, concerns, {
    key: `confirm:${goal.number}:${position.step}:answer`,
    title: run.words.gateAnswer,
    body: preview(visibleText(given), 2_000),
  });
  if (confirmed.kind === 'stopped') return answerFor(run, 'stopped', given, role);
  delete position.asking;
  if (confirmed.kind !== 'no') {
    if (confirmed.kind === 'nobody') position.unconfirmed = true;
    return handOn(run, position, role, given);
  }
  goal.counters = { ...goal.counters, verification: goal.counters.verification + 1 };
  if (plansLeft(goal.counters, run.limits) <= 0) {
    noteLimit(run, 'verification', null);
    return answerFor(run, 'not_confirmed', given, role);
  }
  run.say(run.threadOf(role), 'steer', confirmed.instead ?? run.words.answerNotAccepted);
  position.turns = { ...newTurns(), instructed: true };
  return MOVED;
}

/** Passes an answer to the next role; the last role's answer is the goal's. */
async function handOn(run: Run, position: Answering, role: PinnedRole, answered: string): Promise<StepEnd> {
  const { step, unconfirmed } = position;
  const next = nextRole(run, step);
  if (next === null) {
    const text =
      checksOf(run.state).length > 0 ? await keepText(run, 'answer', answered, ANSWER_BYTES) : answered;
    const checked = enterChecks(run, { kind: 'answer', step, text, ...(unconfirmed && { unconfirmed }) });
    return checked ?? answerFor(run, unconfirmed ? 'not_confirmed' : 'direct_answer', answered, role);
  }
  // In a shared conversation the next role sees it already.
  if (role.memory !== 'shared' || next.memory !== 'shared') {
    const stored = await keepText(run, `step-${step + 1}`, answered, ANSWER_BYTES);
    run.say(run.threadOf(next), 'answer', stepBeforeText(run.words, role.name, stored));
  }
  return run.enter(answeringAt(step + 1, position));
}

function nextRole(run: Run, step: number): PinnedRole | null {
  const name = rolesOf(run)[step + 1];
  return name === undefined ? null : run.role(name);
}

/** Returns the limit of replies with tool calls. Runs of earlier code have no limit `replies`. */
function roundsOf(run: Run, { maxRounds }: PinnedRole): number {
  const { execution, replies = execution }: Pick<Limits, 'execution'> & Partial<Limits> = run.limits;
  return maxRounds ?? (rolesOf(run).length === 1 ? replies : execution);
}

/** Returns the extra round for the answer, which does not count (L21), except in runs of earlier code. */
function answerRound(run: Run): number {
  return run.behaves(2) ? 1 : 0;
}

function rolesOf({ state }: Run): readonly string[] {
  return stepsOf(modeOf(state)) ?? [];
}
