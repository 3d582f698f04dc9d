/**
 * Direct mode: one role works on the goal with tools, and its first reply without a call is the answer. Nobody plans,
 * and nobody verifies: so says the outcome.
 */

import { directBrief } from '../../core/briefs/briefs.js';
import { roleAt } from '../../core/modes.js';
import { specialText } from '../../core/outputs/special-output.js';
import type { PlacesOf } from '../../core/place.js';
import { fill } from '../../core/words.js';
import type { GoalEnd } from '../phases/conclude.js';
import { answerFor, concludeEarly, wrapUp, wrapUpAs } from '../phases/conclude.js';
import { noteLimit } from '../phases/notes.js';
import type { Run } from '../run.js';
import { runTurns } from '../turn/turn-loop.js';

/** One step at the place where the goal stands; null: go on at the cursor. */
export async function direct(run: Run, place: PlacesOf['direct']): Promise<GoalEnd | null> {
  switch (place.phase) {
    case 'answering':
      return answer(run);
    case 'wrap_up':
      return wrapUp(run, place);
  }
}

async function answer(run: Run): Promise<GoalEnd | null> {
  const { execution: rounds } = run.limits;
  const role = roleAt('direct', 'answering');
  const end = await runTurns(run, {
    role,
    output: 'text',
    maxRounds: rounds,
    tools: true,
    brief: () => directBrief(run.state, run.role(role), rounds),
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
