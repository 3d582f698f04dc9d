/** What a call of a batch runs with. */
import { ownValue } from '../json.js';
import type { ToolUseBlock } from '../message.js';
import type { Batch } from '../place.js';

/** The arguments that a call runs with: as the model gave them, or as a person edited them. */
export function inputOf(batch: Batch, call: ToolUseBlock): Record<string, unknown> {
  return ownValue(batch.edited, call.id) ?? call.input;
}
