/**
 * Modes that are one role's work on the goal: its first reply without a call is the answer (L14). Nobody plans,
 * and nobody verifies: so says the outcome.
 */
import { answerBrief } from '../../core/briefs/briefs.js';
import { roleAt } from '../../core/modes.js';
import { specialText } from '../../core/outputs/special-output.js';
import type { PlacesOf } from '../../core/place.js';
import { wayOf } from '../../core/run-state.js';
import { fill } from '../../core/words.js';
import type { GoalEnd } from '../phases/conclude.js';
import { answerFor, concludeEarly, wrapUp, wrapUpAs } from '../phases/conclude.js';
import { noteLimit } from '../phases/notes.js';
import type { Run } from '../run.js';
import { runTurns } from '../turn/turn-loop.js';

/** One step at the place where the goal stands; null: go on at the cursor. */
export async function oneRole(run: Run, place: PlacesOf['react']): Promise<GoalEnd | null> {
  switch (place.phase) {
    case 'answering':
      return answer(run);
    case 'wrap_up':
      return wrapUp(run, place);
  }
}

async function answer(run: Run): Promise<GoalEnd | null> {
  const role = roleAt(wayOf(run.state), 'answering');
  const rounds = run.role(role).maxRounds ?? run.limits.execution;
  const end = await runTurns(run, {
    role,
    output: 'text',
    maxRounds: rounds,
    tools: true,
    brief: () => answerBrief(run.state, run.role(role), rounds),
  });
  switch (end.kind) {
    case 'reply':
      return answerFor(run, 'direct_answer', end.output);
    case 'special':
      // A question is an answer: what the person says to it is the next goal.
      return answerFor(run, 'direct_answer', specialText(end.special, run.words));
    case 'unusable':
      wrapUpAs(run, 'direct_answer', run.words.whyUnreadable);
      return null;
    case 'rounds_used':
      noteLimit(run, 'execution', null);
      wrapUpAs(run, 'execution_cap', fill(run.words.whyRounds, { rounds }));
      return null;
    default:
      return concludeEarly(run, end);
  }
}
