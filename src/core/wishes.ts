/**
 * What a person said while a goal was pursued, kept with the goal (OU10): whoever judges or ends the work sees it
 * beside the goal, however far back in the conversation it stands.
 */
import { WISH_BYTES, WISHES_BYTES } from './bounds.js';
import { cutText } from './fit.js';
import type { GoalState } from './goal.js';
import { jsonBytes } from './json.js';
import { delimit } from './prompt.js';
import type { Words } from './words.js';

/** The wishes with one more, within their bounds: the oldest go first. The conversation has them whole. */
export function withWish(wishes: readonly string[], text: string): string[] {
  const kept = [...wishes, cutText(text, WISH_BYTES)];
  while (jsonBytes(kept) > WISHES_BYTES) kept.shift();
  return kept;
}

/** The wishes as a part of a brief; empty where there are none. */
export function wishesText({ wishes }: Pick<GoalState, 'wishes'>, words: Words): string {
  if (wishes.length === 0) return '';
  const list = delimit('wishes', wishes.map(wish => `- ${wish}`).join('\n'));
  return `${words.wishes}\n${list}`;
}
