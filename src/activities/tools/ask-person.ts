import type { FormQuestion } from '../../core/gates/form.js';
import type { FormAnswer } from '../../core/gates/gate.js';

export interface PersonQuestion {
  callId: string;
  question: FormQuestion;
  /** After this nobody has answered. */
  waitMs: number;
}

/** Resolves with what a person gives, or what stands for that. Aborted, it is asked no more. */
export type AskPerson = (asked: PersonQuestion, signal: AbortSignal) => Promise<FormAnswer>;
