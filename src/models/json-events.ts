/** The events of a streamed answer as JSON, whatever the protocol. */
import { readEventData } from './event-stream.js';
import { REPLY_BOUNDS } from './reply-bounds.js';

/**
 * Reads them here and not by an SDK, whose decoders have no bounds and take time that grows with the square of a
 * line. `hangUp` ends the connection where an endpoint goes on for long after what was wanted of it.
 * @throws SyntaxError for an event that is no JSON, OverBoundError
 */
export async function* jsonEvents(response: Response, hangUp: AbortController): AsyncIterable<unknown> {
  if (!response.body) return;
  const events = readEventData(response.body, REPLY_BOUNDS);
  try {
    for (;;) {
      const { value: data, done } = await events.next();
      if (done || data.startsWith('[DONE]')) return;
      if (data.trim() !== '') yield JSON.parse(data);
    }
  } finally {
    void readRest(events, hangUp);
  }
}

/** What follows the end is read in the background, so that the connection can be used again, and not for long. */
const REST_MS = 1_000;

async function readRest(events: AsyncGenerator<unknown>, hangUp: AbortController): Promise<void> {
  const timer = setTimeout(() => hangUp.abort(), REST_MS);
  timer.unref();
  try {
    for await (const _event of events);
  } catch {
    // The reply is complete, or its failure is told.
  } finally {
    clearTimeout(timer);
  }
}
