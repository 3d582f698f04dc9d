/** The events of a run in the words of another system. */
import type { RunEvent } from '../watch/run-event.js';

/** Takes the events of one run in order, and gives what each of them is in other words: nothing, one thing or more. */
export type Vocabulary<T> = (event: RunEvent) => T[];

/**
 * `for await (const event of translate(run.events(), turnEvents()))`: each vocabulary is made anew for each run that
 * it follows, for it remembers what was said. Ends when `events` ends, and throws what it throws.
 */
export async function* translate<T>(
  events: AsyncIterable<RunEvent>,
  vocabulary: Vocabulary<T>,
): AsyncGenerator<T> {
  for await (const event of events) yield* vocabulary(event);
}
