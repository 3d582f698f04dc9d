/** What a call of a batch runs with. */
import { ownValue, utf8Length } from '../json.js';
import type { ToolUseBlock } from '../message.js';
import type { Batch } from '../place.js';

/** The arguments that a call runs with: as the model gave them, or as a person edited them. */
export function inputOf(batch: Batch, call: ToolUseBlock): Record<string, unknown> {
  return ownValue(batch.edited, call.id) ?? call.input;
}

/** Arguments up to this size travel with the activity; larger ones are read by query, to be in history once. */
const INLINE_BYTES = 1_024;

/** The arguments as an activity's input has them. */
export function inlineInput(given: Record<string, unknown>): { arguments?: Record<string, unknown> } {
  return utf8Length(JSON.stringify(given)) <= INLINE_BYTES ? { arguments: given } : {};
}
