/** Long texts by reference: the blob store has the whole, the state a part of it. */
import { PAYLOAD_BYTES } from '../../core/state/bounds.js';
import { cutText, cutWithoutStore, fitsText } from '../../core/text/fit.js';
import { headAndTail } from '../../core/text/large-text.js';
import type { Run } from '../run.js';

/** What one activity takes, with what stands around the text. */
const MOST_STORED_BYTES = PAYLOAD_BYTES - 100_000;

/** The text where it fits, else its head and tail with a reference to the whole; cut where the store fails. */
export async function keepText(run: Run, name: string, text: string, maxBytes: number): Promise<string> {
  if (fitsText(text, maxBytes)) return text;
  const ref = await store(run, name, text);
  return ref === null ? cutWithoutStore(text, maxBytes) : headAndTail(text, ref, maxBytes);
}

/**
 * Keeps a text in the blob store; null where that does not work, in a few tries, or where a stop ends the wait.
 * The run goes on either way, and the journal says once that something is missing.
 */
export async function store(run: Run, name: string, text: string): Promise<string | null> {
  const { state, ports } = run;
  const kept = cutText(text, MOST_STORED_BYTES);
  const once = state.people.stop !== null || state.log.storeFailed;
  const stored = await ports.storeText({ name, text: kept }, { once });
  ports.throwIfCancelled();
  if (stored.ok) return stored.value.ref;
  if (stored.failure.kind !== 'cancelled') noteStoreFailed(run, name, stored.failure.message);
  return null;
}

/** `what`: what was to be kept. */
export function noteStoreFailed(run: Run, what: string, why: string): void {
  const { log } = run.state;
  if (log.storeFailed) return;
  log.storeFailed = true;
  run.journal('store_failed', { what, why });
}
