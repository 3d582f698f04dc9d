/** The place where a second role is asked: see `consult`. */
import type { Run } from '../run.js';
import { runTurns } from '../turn/turn-loop.js';

/** Puts the question to the role, and goes back to where it was asked. */
export async function answerConsultation(run: Run): Promise<void> {
  const { consultation } = run.state;
  if (!consultation?.suspended) throw new Error('nothing was asked');
  const end = await runTurns(run, {
    role: consultation.role,
    output: consultation.output,
    maxRounds: 1,
    tools: false,
    brief: () => consultation.brief,
  });
  if (end.kind === 'reply') {
    consultation.value = end.output;
    consultation.envelope = end.envelope;
  }
  if (end.kind === 'special') consultation.special = end.special;
  consultation.done = true;
  run.moveTo(consultation.suspended);
  consultation.suspended = null;
}
