/** Reads the events of a streamed answer as JSON, for all protocols. */
import { exactJson } from '../../base/json/json.js';
import { OverBoundError, readEventData } from './event-stream.js';
import { REPLY_BOUNDS } from './reply-bounds.js';

/**
 * SDKs are not used for this, since their decoders have no bounds and take quadratic time for a long line. `hangUp`
 * closes the connection if an endpoint keeps sending after the reply. `whole` converts a body that is one JSON object,
 * from servers that do not stream, into events.
 * @throws SyntaxError for an event that is not JSON, OverBoundError
 */
export async function* jsonEvents(
  response: Response,
  hangUp: AbortController,
  whole: (body: unknown) => unknown[],
): AsyncIterable<unknown> {
  if (!response.body) return;
  const bytes: AsyncIterator<Uint8Array> = response.body[Symbol.asyncIterator]();
  const begun = await beginningOf(bytes);
  const body = startingWith([begun], bytes);
  // An event stream never starts with a brace, so this body is a whole reply. Its tokens are already paid for.
  if (isObject(begun)) {
    yield* whole(exactJson(await wholeText(body)));
    return;
  }
  const events = readEventData(body, REPLY_BOUNDS);
  try {
    for (;;) {
      const { value: data, done } = await events.next();
      if (done || data.startsWith('[DONE]')) return;
      if (data.trim() !== '') yield exactJson(data);
    }
  } finally {
    void drain(events, hangUp);
  }
}

/** The rest of the stream is read in the background, for at most this long, so that the connection can be reused. */
const REST_MS = 1_000;

async function drain(events: AsyncGenerator<unknown>, hangUp: AbortController): Promise<void> {
  const timer = setTimeout(() => hangUp.abort(), REST_MS);
  timer.unref();
  try {
    for await (const _event of events);
  } catch {
    // The reply is complete, or its failure has been reported.
  } finally {
    clearTimeout(timer);
  }
}

const BLANKS = /^[\s\uFEFF]*/;

/** Reads up to the first chunk that has more than blanks. */
async function beginningOf(bytes: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let size = 0; size < MOST_BLANK_BYTES; ) {
    const { value, done } = await bytes.next();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (Buffer.from(value).toString('utf8').replace(BLANKS, '') !== '') break;
  }
  return Buffer.concat(parts);
}

const MOST_BLANK_BYTES = 65_536;

function isObject(begun: Uint8Array): boolean {
  return Buffer.from(begun).toString('utf8').replace(BLANKS, '').startsWith('{');
}

/** Yields what was read already, then the rest, which is closed at the end. */
export async function* startingWith<T>(read: readonly T[], rest: AsyncIterator<T>): AsyncGenerator<T, void> {
  try {
    yield* read;
    for (;;) {
      const next = await rest.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

async function wholeText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > REPLY_BOUNDS.eventBytes)
      throw new OverBoundError(`more than ${REPLY_BOUNDS.eventBytes} bytes in one reply`);
  }
  return Buffer.concat(parts).toString('utf8').replace(BLANKS, '');
}
