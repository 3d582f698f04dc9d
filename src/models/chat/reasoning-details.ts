/**
 * `reasoning_details` of OpenRouter: what models of several providers want back with their reasoning, in one form. It
 * comes in fragments, and only whole blocks are taken back: github.com/agno-agi/agno/pull/8861.
 */
import { isRecord, stringOr } from '../../core/json.js';
import type { ModelDelta } from '../provider.js';
import { REPLY_BOUNDS } from '../reply-bounds.js';

type Detail = Record<string, unknown>;

const GROWING = ['text', 'summary', 'data'] as const;
const MOST_DETAILS = 256;

export class ReasoningDetails {
  readonly #details: Detail[] = [];
  #chars = 0;
  #isTold = false;

  /** `given`: the list of one chunk. */
  read(given: unknown): void {
    for (const detail of Array.isArray(given) ? given : []) if (isRecord(detail)) this.#add(detail);
  }

  /** All of them at the end of the reply, where they are within its bounds: cut they are worth nothing. */
  *end(): Iterable<ModelDelta> {
    if (this.#details.length === 0 || this.#details.length > MOST_DETAILS) return;
    if (this.#chars > REPLY_BOUNDS.textChars || this.#isTold) return;
    this.#isTold = true;
    yield { type: 'reasoning_end', value: { reasoning_details: this.#details } };
  }

  #add(detail: Detail): void {
    this.#chars += GROWING.reduce((sum, field) => sum + stringOr(detail[field], '').length, 0);
    if (this.#chars > REPLY_BOUNDS.textChars || this.#details.length > MOST_DETAILS) return;
    const open = this.#details.findLast(
      ({ index, type }) => typeof index === 'number' && index === detail.index && type === detail.type,
    );
    if (!open) {
      this.#details.push({ ...detail });
      return;
    }
    for (const [key, value] of Object.entries(detail)) {
      const before = open[key];
      const grows = (GROWING as readonly string[]).includes(key) && typeof before === 'string';
      if (grows && typeof value === 'string') open[key] = before + value;
      else if (value !== null && value !== undefined) open[key] = value;
    }
  }
}
