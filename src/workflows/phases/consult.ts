/**
 * Asking a second role something in the middle of another's work: the reviewer and the orchestrator.
 * The position moves to the question and back, so that a restart in between goes on there.
 */
import { BRIEF_BYTES } from '../../core/bounds.js';
import { cutText } from '../../core/fit.js';
import type { EnvelopeMeta } from '../../core/outputs/envelope.js';
import type { OutputOf } from '../../core/outputs/parse-output.js';
import type { SpecialOutput } from '../../core/outputs/special-output.js';
import type { OutputContract } from '../../core/role.js';
import { startOf } from '../../core/run-state.js';
import type { Run } from '../run.js';

export interface Consultation<C extends OutputContract> {
  /** What it is about: the same when the place is entered again. */
  key: string;
  role: string;
  output: C;
  brief: string;
}

export type Consulted<C extends OutputContract> =
  /** The cursor has moved to the question: the mode goes on there, and comes back here. */
  | { kind: 'pending' }
  /** `value` null: nothing that can be read. */
  | { kind: 'done'; value: OutputOf[C] | null; envelope: EnvelopeMeta | null; special: SpecialOutput | null };

/** The answer of a role that was asked before, or `pending` after the question was put. */
export function consult<C extends OutputContract>(run: Run, wanted: Consultation<C>): Consulted<C> {
  const { state } = run;
  const { consultation } = state;
  // Kept until the next question: a place that waits for a person after it may be entered again.
  if (consultation?.key === wanted.key && consultation.done) {
    const { value, envelope, special } = consultation;
    // Written by `answerConsultation` for the same key, so of the same contract.
    return { kind: 'done', value: value as OutputOf[C] | null, envelope, special };
  }
  const nothingYet = { done: false, value: null, envelope: null, special: null };
  const brief = cutText(wanted.brief, BRIEF_BYTES);
  state.consultation = { ...wanted, brief, suspended: state.cursor, ...nothingYet };
  run.moveTo(startOf('consultation', state.cursor.cycle, state.cursor.taskId));
  return { kind: 'pending' };
}
