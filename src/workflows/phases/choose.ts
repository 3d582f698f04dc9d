/** Auto mode: a role chooses how each goal is pursued, by what it takes, and then it is pursued so (L18). */

import { firstPosition, type ModeName, roleAt } from '../../core/agents/modes.js';
import { choiceInstruction } from '../../core/prompts/answer-instructions.js';
import { OPINION_BYTES } from '../../core/state/bounds.js';
import type { Choosing } from '../../core/state/position.js';
import { wayOf } from '../../core/state/run-state.js';
import { cutText } from '../../core/text/fit.js';
import { preview } from '../../core/text/preview.js';
import type { Moved, Run } from '../run.js';
import { runTurns } from '../turn/turn-loop.js';
import { concludeEarly, type StepEnd } from './conclude.js';
import { noteFallback } from './notes.js';

/** Where no choice can be read: it has tools, and needs no more calls than the goal. */
const FALLBACK: ModeName = 'react';

export async function choose(run: Run, position: Choosing): Promise<StepEnd> {
  const role = roleAt(wayOf(run.state), position);
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

/** Of the reason, for whoever looks; the journal has it whole. */
const WHY_CHARS = 300;

function take(run: Run, mode: ModeName, why: string): Moved {
  run.state.goal.mode = mode;
  run.state.goal.modeWhy = preview(why, WHY_CHARS);
  run.journal('mode_chosen', { mode, why: cutText(why, OPINION_BYTES) });
  return run.enter(firstPosition(mode));
}
