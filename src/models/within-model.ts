/** What a role asks for, as far as its model is known to give it: more is refused by some endpoints. */
import type { ModelRequestHead } from '../core/model-request.js';
import type { ModelInfo } from './model-info.js';

export function withinModel(head: ModelRequestHead, info: ModelInfo): ModelRequestHead {
  const { json, reasoning } = info.capabilities;
  return {
    ...head,
    // Its prompt says the form all the same.
    output: json === false ? 'text' : head.output,
    reasoning: reasoning === false ? null : head.reasoning,
    maxOutputTokens: lesser(head.maxOutputTokens, info.maxOutputTokens),
  };
}

function lesser(wanted: number | null, most: number | null): number | null {
  return wanted === null || most === null ? wanted : Math.min(wanted, most);
}
