/** What endpoints count of our requests corrects what we estimate of the next ones, by model. */

import type { Usage } from '../state/message.js';
import { jsonBytes, ownValue } from '../text/json.js';

/** Of all requests of a model for which its endpoint gave a count. */
export interface InputCount {
  estimated: number;
  reported: number;
}

/** By model. */
export type InputCounts = Readonly<Record<string, InputCount>>;

/** Models counted; those that come later are estimated as ever. */
export const MOST_MODELS_COUNTED = 12;
const MOST_NAME_BYTES = 90;

/** Below this much, what an endpoint adds to each request tells nothing of the texts in it. */
const LEAST_ESTIMATED_TOKENS = 1_000;

/**
 * Too low a count would have us send what does not fit, and some endpoints cut that silently: there are those that
 * leave out what they have cached. Too high a one only costs messages.
 */
const LEAST_FACTOR = 0.75;
const MOST_FACTOR = 2;

/** The counts with one request more; the same ones where its usage is no count of the endpoint's. */
export function withInputCount(
  counts: InputCounts,
  model: string,
  { estimated, usage }: { estimated: number; usage: Pick<Usage, 'inputTokens' | 'estimated'> },
): InputCounts {
  const before = ownValue(counts, model);
  const isRoom = Object.keys(counts).length < MOST_MODELS_COUNTED && jsonBytes(model) <= MOST_NAME_BYTES;
  if (usage.estimated || estimated === 0 || !(before || isRoom)) return counts;
  const { estimated: soFar, reported } = before ?? { estimated: 0, reported: 0 };
  return {
    ...counts,
    [model]: { estimated: soFar + estimated, reported: reported + usage.inputTokens },
  };
}

/** Tokens of the model to one that is estimated: 0.75 to 2, and 1 until enough was counted. */
export function tokenFactor(counts: InputCounts, model: string): number {
  const { estimated, reported } = ownValue(counts, model) ?? { estimated: 0, reported: 0 };
  if (estimated < LEAST_ESTIMATED_TOKENS) return 1;
  return Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, reported / estimated));
}
