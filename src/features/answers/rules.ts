/** Typed answers: a start gives a JSON Schema, and a goal ends well only with a value that fits it (TA1). */
import type { JsonSchema } from '../../base/json/json.js';
import { delimit } from '../../base/words/prompt.js';
import type { Words } from '../../base/words/words.js';
import { type Cause, outcomeOf } from '../../run/limits/cause.js';
import type { Message } from '../../run/messages/message.js';
import { textOf } from '../../run/messages/message.js';
import type { GoalEnd } from '../../run/state/goal.js';
import { Slice } from '../../run/state/slice.js';

export interface TypedAnswer {
  /** Number of the goal that this is about; 0 before the first. */
  goal: number;
  /** True if the answering role has the schema. */
  isTold: boolean;
  /** True if a role that had the schema was asked again. */
  isAsked: boolean;
  /** The cause of the end if the requested answer fits; null without a request. */
  cause: Cause | null;
}

const NOTHING: TypedAnswer = { goal: 0, isTold: false, isAsked: false, cause: null };

export const typedAnswer = new Slice<TypedAnswer>('answers', {
  initial: () => NOTHING,
  bytes: 200,
});

/** Returns what is stored for this goal. */
export function ofGoal(state: Parameters<typeof typedAnswer.of>[0], goal: number): TypedAnswer {
  const known = typedAnswer.of(state);
  return known.goal === goal ? known : { ...NOTHING, goal };
}

/** The type of the activity on the wire. */
export const READ_ANSWER = 'steersmanReadAnswer';

export interface ReadAnswerInput {
  /** The text of the answer, unchanged. */
  text: string;
  schema: JsonSchema;
}

/** The value, or one sentence for each fault of the answer. */
export type ReadAnswer = { value: Record<string, unknown> } | { faults: string[] };

export const NOT_TYPED: Cause = 'answer_not_typed';

/** True if a goal with this end must have a value: an end without success stays as it is. */
export function endsWell(cause: Cause): boolean {
  const outcome = outcomeOf(cause);
  return outcome === 'completed' || outcome === 'answered';
}

/** True for an end that does not depend on the answer. */
export function isOver({ outcome }: Pick<GoalEnd, 'outcome'>): boolean {
  return outcome === 'stopped' || outcome === 'failed' || outcome === 'cancelled';
}

export function schemaText(schema: JsonSchema, words: Words): string {
  return `${words.answerSchema}\n${delimit('answer_schema', JSON.stringify(schema))}`;
}

/**
 * True if the answering role has the schema from this goal. `last`: it must also follow all instructions, because the
 * wrap-up's instruction asks for Markdown.
 */
export function hasSchema(
  messages: readonly Message[],
  text: string,
  { since, last }: { since: number; last: boolean },
): boolean {
  const schemaAt = messages.findLastIndex(
    message => message.kind === 'user' && message.at >= since && textOf(message) === text,
  );
  const instructionAt = messages.findLastIndex(
    message => message.kind === 'user' && message.purpose === 'instruction',
  );
  return schemaAt >= 0 && (!last || schemaAt >= instructionAt);
}

export function faultsText(faults: readonly string[]): string {
  return faults.map(fault => `- ${fault}`).join('\n');
}
