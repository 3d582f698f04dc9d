/**
 * Modes that are the work of roles on the goal itself, of one or of several in turn: the first reply without a call
 * goes to the next, and that of the last is the answer (L14). Nobody plans, and nobody verifies: so says the outcome.
 */

import { roleAt, stepsOf } from '../../core/agents/modes.js';
import type { PinnedRole } from '../../core/agents/role.js';
import { specialText } from '../../core/outputs/special-output.js';
import { answerInstruction, stepBeforeText } from '../../core/prompts/answer-instructions.js';
import { fill } from '../../core/prompts/words.js';
import { ANSWER_BYTES } from '../../core/state/bounds.js';
import { type Answering, answeringAt } from '../../core/state/position.js';
import { wayOf } from '../../core/state/run-state.js';
import type { Run } from '../run.js';
import { keepText } from '../turn/keep-text.js';
import { runTurns } from '../turn/turn-loop.js';
import { answerFor, concludeEarly, type StepEnd, wrapUpAs } from './conclude.js';
import { noteLimit } from './notes.js';

export async function answer(run: Run, position: Answering): Promise<StepEnd> {
  const role = run.role(roleAt(wayOf(run.state), position));
  const rounds = roundsOf(run, role);
  const end = await runTurns(run, {
    role: role.name,
    output: 'text',
    maxRounds: rounds,
    tools: true,
    instruction: () => instructionAt(run, position, role),
  });
  switch (end.kind) {
    case 'reply':
      return handOn(run, position, role, end.output);
    case 'special':
      // A question is an answer: what the person says to it is the next goal.
      return answerFor(run, 'direct_answer', specialText(end.special, run.words));
    case 'unusable':
      return wrapUpAs(run, 'direct_answer', run.words.whyUnreadable);
    case 'rounds_used':
      noteLimit(run, 'execution', null);
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

/** Gives an answer to the next role; that of the last is the goal's. */
async function handOn(run: Run, { step }: Answering, role: PinnedRole, answered: string): Promise<StepEnd> {
  const next = nextRole(run, step);
  if (next === null) return answerFor(run, 'direct_answer', answered, role);
  // In one conversation it stands above.
  if (role.memory !== 'shared' || next.memory !== 'shared') {
    const told = await keepText(run, `step-${step + 1}`, answered, ANSWER_BYTES);
    run.say(run.threadOf(next), 'answer', stepBeforeText(run.words, role.name, told));
  }
  return run.enter(answeringAt(step + 1));
}

function nextRole(run: Run, step: number): PinnedRole | null {
  const name = rolesOf(run)[step + 1];
  return name === undefined ? null : run.role(name);
}

function roundsOf(run: Run, { maxRounds }: PinnedRole): number {
  return maxRounds ?? run.limits.execution;
}

function rolesOf({ state }: Run): readonly string[] {
  return stepsOf(wayOf(state)) ?? [];
}
