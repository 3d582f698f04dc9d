/** The position where a second role is asked: see `consult`. */
import { OPINION_BYTES } from '../../core/state/bounds.js';
import type { Consultation } from '../../core/state/position.js';
import { fitted } from '../../core/text/fit.js';
import type { Moved, Run } from '../run.js';
import { runTurns } from '../turn/turn-loop.js';

/** Puts the question to the role, and goes back to where it was asked. */
export async function answerConsultation(run: Run, asked: Consultation): Promise<Moved> {
  const { key, role, output, instruction } = asked;
  const end = await runTurns(run, {
    role,
    output,
    maxRounds: 1,
    tools: false,
    instruction: () => instruction,
  });
  const answer = {
    value: end.kind === 'reply' ? end.output : null,
    envelope: end.kind === 'reply' ? end.envelope : null,
    special: end.kind === 'special' ? end.special : null,
  };
  run.state.cursor.answered = { key, ...fitted(answer, run.roomFor(3 * OPINION_BYTES)) };
  return run.goBack();
}
