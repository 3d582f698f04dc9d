/** Asks another role a question during a role's work. */
import { INSTRUCTION_BYTES } from '../../base/sizes/bounds.js';
import { cutText } from '../../base/text/fit.js';
import type { OutputContract, OutputOf } from '../../run/outputs/contracts.js';
import type { EnvelopeMeta } from '../../run/outputs/envelope.js';
import type { SpecialOutput } from '../../run/outputs/special-output.js';
import { newConsultation, type RoleQuestion } from '../../run/position/position.js';
import type { Run } from '../run/run.js';

export type Consulted<C extends OutputContract> =
  /** The run has been moved to the consultation, and returns here afterwards. */
  | { kind: 'pending' }
  /** `value` is null if the reply was unreadable. */
  | { kind: 'done'; value: OutputOf[C] | null; envelope: EnvelopeMeta | null; special: SpecialOutput | null };

/** Returns the answer of a role that was asked before, or asks it and returns `pending`. */
export function consult<C extends OutputContract>(
  run: Run,
  question: RoleQuestion & { output: C },
): Consulted<C> {
  const { answered } = run.cursor;
  if (answered?.key === question.key) {
    const { value, envelope, special } = answered;
    // The cast is safe: `answerConsultation` wrote it for the same key, so by the same contract.
    return { kind: 'done', value: value as OutputOf[C] | null, envelope, special };
  }
  run.interrupt(
    newConsultation({
      ...question,
      instruction: cutText(question.instruction, run.line.roomFor(INSTRUCTION_BYTES)),
    }),
  );
  return { kind: 'pending' };
}
