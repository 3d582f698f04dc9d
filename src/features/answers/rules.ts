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
  /** The goal that this is about; 0 for none. */
  goal: number;
  /** The role that answers has the schema. */
  isTold: boolean;
  /** A role that had it was asked again. */
  isAsked: boolean;
  /** How the goal ends if the answer that was asked for fits; null where none was. */
  cause: Cause | null;
}

const NOTHING: TypedAnswer = { goal: 0, isTold: false, isAsked: false, cause: null };

export const typedAnswer = new Slice<TypedAnswer>('answers', {
  initial: () => NOTHING,
  bytes: 200,
});

/** What is known of the goal at hand. */
export function ofGoal(state: Parameters<typeof typedAnswer.of>[0], goal: number): TypedAnswer {
  const known = typedAnswer.of(state);
  return known.goal === goal ? known : { ...NOTHING, goal };
}

/** The type of the activity on the wire. */
export const READ_ANSWER = 'steersmanReadAnswer';

export interface ReadAnswerInput {
  /** The answer as it was given. */
  text: string;
  schema: JsonSchema;
}

/** The value, or what is wrong with the answer, a sentence each. */
export type ReadAnswer = { value: Record<string, unknown> } | { faults: string[] };

export const NOT_TYPED: Cause = 'answer_not_typed';

/** Whether an answer may be asked for where a goal would end so: an end that is no success stays as it is. */
export function endsWell(cause: Cause): boolean {
  const outcome = outcomeOf(cause);
  return outcome === 'completed' || outcome === 'answered';
}

/** Ends that are not about the answer. */
export function isOver({ outcome }: Pick<GoalEnd, 'outcome'>): boolean {
  return outcome === 'stopped' || outcome === 'failed' || outcome === 'cancelled';
}

export function schemaText(schema: JsonSchema, words: Words): string {
  return `${words.answerSchema}\n${delimit('answer_schema', JSON.stringify(schema))}`;
}

/**
 * Whether a role that is about to answer has the schema: since its goal began and, where `last`, after all instructions,
 * since that of a wrap-up asks for Markdown.
 */
export function hasSchema(
  messages: readonly Message[],
  text: string,
  { since, last }: { since: number; last: boolean },
): boolean {
  const told = messages.findLastIndex(
    message => message.kind === 'user' && message.at >= since && textOf(message) === text,
  );
  const instructed = messages.findLastIndex(
    message => message.kind === 'user' && message.purpose === 'instruction',
  );
  return told >= 0 && (!last || told >= instructed);
}

export function faultsText(faults: readonly string[]): string {
  return faults.map(fault => `- ${fault}`).join('\n');
}
