/** Typed answers in the simulated world: the schema, replies of all kinds, the activity, and what must hold. */

import { isRecord, parseJson } from '../../src/base/json/json.js';
import type { ReadAnswer, ReadAnswerInput } from '../../src/features/answers/rules.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { expectThat } from './expect-that.js';
import type { Random } from './random.js';

export const ANSWER_SCHEMA = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 1 } },
  required: ['count'],
};

/** The text of an answer that fits, does not fit, or is none; null: the role answers as ever. */
export function typedText(random: Random): string | null {
  return random.weighted([
    [5, JSON.stringify({ count: random.int(1, 9) })],
    [2, JSON.stringify({ count: 0 })],
    [1, '{"count": '],
    [3, null],
  ]);
}

export class TypedAnswers {
  runs(_random: Random, input: unknown): { value: ReadAnswer; seen: string } {
    const { text } = input as ReadAnswerInput;
    const value = parseJson(text.trim());
    if (fits(value))
      return { value: { value: value as Record<string, unknown> }, seen: 'a typed answer fits' };
    return { value: { faults: ['count: must be >= 1'] }, seen: 'a typed answer does not fit' };
  }

  read(): null {
    return null;
  }

  /** A goal that ended well has a value that fits; only goals of a run with a schema have one. */
  check({ goals, settings }: RunState): void {
    // Older goals may have lost theirs for want of room.
    const last = goals.at(-1);
    if (!last) return;
    const { number, outcome, value } = last;
    const isTyped = settings.answer !== undefined;
    expectThat(isTyped || value === undefined, () => `goal ${number} has a value, and the run no schema`);
    expectThat(value === undefined || fits(value), () => `goal ${number} has a value that does not fit`);
    const isWell = outcome === 'completed' || outcome === 'answered';
    expectThat(!isTyped || !isWell || fits(value), () => `goal ${number} is ${outcome} without a value`);
  }
}

function fits(value: unknown): boolean {
  return isRecord(value) && Number.isInteger(value.count) && Number(value.count) >= 1;
}
