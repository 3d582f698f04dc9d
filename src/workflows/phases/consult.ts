/**
 * Asking a second role something in the middle of another's work: the reviewer and the orchestrator.
 * The position moves to the question and back, so that a restart in between goes on there.
 */

import type { OutputContract, OutputOf } from '../../core/outputs/contracts.js';
import type { EnvelopeMeta } from '../../core/outputs/envelope.js';
import type { SpecialOutput } from '../../core/outputs/special-output.js';
import { INSTRUCTION_BYTES } from '../../core/state/bounds.js';
import type { RoleQuestion } from '../../core/state/position.js';
import { newConsultation } from '../../core/state/position.js';
import { cutText } from '../../core/text/fit.js';
import type { Run } from '../run.js';

export type Consulted<C extends OutputContract> =
  /** The question lies on top now: the mode goes on there, and comes back here. */
  | { kind: 'pending' }
  /** `value` null: nothing that can be read. */
  | { kind: 'done'; value: OutputOf[C] | null; envelope: EnvelopeMeta | null; special: SpecialOutput | null };

/** The answer of a role that was asked before, or `pending` after the question was put. */
export function consult<C extends OutputContract>(
  run: Run,
  question: RoleQuestion & { output: C },
): Consulted<C> {
  const { answered } = run.state.cursor;
  if (answered?.key === question.key) {
    const { value, envelope, special } = answered;
    // Written by `answerConsultation` for the same key, so of the same contract.
    return { kind: 'done', value: value as OutputOf[C] | null, envelope, special };
  }
  run.interrupt(
    newConsultation({
      ...question,
      instruction: cutText(question.instruction, run.roomFor(INSTRUCTION_BYTES)),
    }),
  );
  return { kind: 'pending' };
}
