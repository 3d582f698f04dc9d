/** The loop of all modes: it takes one step from the current position at a time, so a restored state continues there. */

import { without } from '../base/json/json.js';
import { OPINION_BYTES } from '../base/sizes/bounds.js';
import { cutText } from '../base/text/fit.js';
import { preview } from '../base/text/preview.js';
import { choiceInstruction } from '../rules/prompts/answer-instructions.js';
import { firstPosition, type ModeName, roleAt } from '../run/position/modes.js';
import type { Choosing } from '../run/position/position.js';
import { here } from '../run/state/cursor.js';
import type { GoalEnd } from '../run/state/goal.js';
import { modeOf } from '../run/state/run-state.js';
import { answered, stepBegins, stepOf } from './beside/moments.js';
import { closeBranches } from './branches/side-by-side.js';
import { reloadTools } from './changes/reload-tools.js';
import { answer } from './phases/answer.js';
import { concludeEarly, type StepEnd, wrapUp } from './phases/conclude.js';
import { execute } from './phases/execute.js';
import { plan } from './phases/plan.js';
import { answerConsultation, steer } from './phases/steering.js';
import { verify } from './phases/verify.js';
import { MOVED, type Moved, type Run, Yielded } from './run/run.js';
import { tellFiles } from './say/instruct.js';
import { noteFallback } from './say/notes.js';
import { runTurns } from './turn/turn-loop.js';

/** Pursues the goal to its end. It throws only what the platform throws: cancellation, continue-as-new. */
export async function runMode(run: Run): Promise<GoalEnd> {
  for (;;) {
    const end = await step(run).catch(moved);
    const { phase } = run.state.cursor.position;
    // The goal has left these branches or ends: the next step uses one joined conversation.
    if (end !== MOVED || phase !== 'execution')
      closeBranches(run, end !== MOVED || phase === 'wrap_up' ? 'executing' : 'pending');
    if (end === MOVED) continue;
    const looking = answered(run, end);
    const settled = looking ? await looking : end;
    if (settled !== MOVED) return without(settled, 'said');
  }
}

/** Takes one step from the current position. An interrupt (steering, consultation) is settled first. */
async function step(run: Run): Promise<StepEnd> {
  const at = here(run.state.cursor);
  if (at.phase === 'steering') return steer(run, at);
  if (at.phase === 'consultation') return answerConsultation(run, at);
  await reloadTools(run);
  await tellFiles(run);
  await stepBegins(run);
  switch (at.phase) {
    case 'choosing':
      return choose(run, at);
    case 'planning':
      return plan(run, at);
    case 'execution':
      return execute(run, at);
    case 'verification':
      return verify(run, at);
    case 'answering':
      return answer(run, at);
    case 'wrap_up':
      return wrapUp(run, at);
    default:
      return stepOf(run, at);
  }
}

function moved(thrown: unknown): StepEnd {
  if (thrown instanceof Yielded) return MOVED;
  throw thrown;
}

/** The mode if the choice is unreadable: it has tools, and makes no calls beyond those of the goal. */
const FALLBACK: ModeName = 'react';

async function choose(run: Run, position: Choosing): Promise<StepEnd> {
  const role = roleAt(modeOf(run.state), position);
  const end = await runTurns(run, {
    role,
    output: 'choice',
    maxRounds: 1,
    tools: false,
    instruction: () => choiceInstruction(run.state, run.role(role)),
  });
  switch (end.kind) {
    case 'reply':
      return take(run, end.output.mode, end.output.reason);
    case 'unusable':
      noteFallback(run, role, end.errors, `the mode ${FALLBACK}`);
      return take(run, FALLBACK, run.words.whyUnreadable);
    case 'special':
    case 'rounds_used':
      return take(run, FALLBACK, run.words.whyUnreadable);
    default:
      return concludeEarly(run, end);
  }
}

/** Limit of the reason that the state shows; the journal stores up to `OPINION_BYTES` of it. */
const WHY_CHARS = 300;

function take(run: Run, mode: ModeName, why: string): Moved {
  run.state.goal.mode = mode;
  run.state.goal.modeWhy = preview(why, WHY_CHARS);
  run.journal('mode_chosen', { mode, why: cutText(why, OPINION_BYTES) });
  return run.enter(firstPosition(mode));
}
