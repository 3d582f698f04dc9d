/** Events that a gateway passes on twice: their numbers tell them from what a model says twice. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/text/json.js';

/** Far more than a reply has. */
const MOST_KEPT = 200_000;

export class Repeats {
  readonly #seen = new Map<number, string>();
  /** Some endpoints give events of their own the same number: then numbers tell nothing. */
  #isNumbered = true;

  /** The event has come before. */
  has(event: Record<string, unknown>): boolean {
    const { sequence_number: number } = event;
    if (typeof number !== 'number' || !this.#isNumbered) return false;
    const digest = createHash('sha1').update(canonicalJson(event)).digest('base64');
    const known = this.#seen.get(number);
    this.#isNumbered = known === undefined || known === digest;
    if (known === undefined && this.#seen.size < MOST_KEPT) this.#seen.set(number, digest);
    return known === digest;
  }
}
