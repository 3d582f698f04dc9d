/** Reads server-sent events in linear time and within bounds, because an endpoint may send lines of any length. */

export interface StreamBounds {
  eventBytes: number;
  responseBytes: number;
}

/** The endpoint sent more than a reply may contain. */
export class OverBoundError extends Error {}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Yields the data of each event, in order; comments and other fields are skipped. Text after the last empty line counts
 * as an event too, because some servers omit that line.
 * @throws OverBoundError
 */
export async function* readEventData(
  body: AsyncIterable<Uint8Array>,
  bounds: StreamBounds,
): AsyncGenerator<string, void> {
  const lines = new LineReader();
  let data: string[] = [];
  let total = 0;
  let eventBytes = 0;
  let isFirst = true;
  const take = (given: string): string | null => {
    // A stream may begin with a byte order mark.
    const line = isFirst ? given.replace(/^\uFEFF/, '') : given;
    isFirst = false;
    if (line !== '') {
      const value = dataOf(line);
      if (value !== null) data.push(value);
      return null;
    }
    const event = data.length === 0 ? null : data.join('\n');
    data = [];
    eventBytes = 0;
    return event;
  };
  for await (const bytes of body) {
    total += bytes.length;
    eventBytes += bytes.length;
    if (total > bounds.responseBytes) throw new OverBoundError(`more than ${bounds.responseBytes} bytes`);
    for (const line of lines.add(bytes)) {
      const event = take(line);
      if (event !== null) yield event;
    }
    if (eventBytes > bounds.eventBytes)
      throw new OverBoundError(`more than ${bounds.eventBytes} bytes in one event`);
  }
  for (const line of [lines.rest(), '']) {
    const event = take(line);
    if (event !== null) yield event;
  }
}

/** Joins the parts of a line once, when its end has arrived. */
class LineReader {
  #parts: Uint8Array[] = [];
  #afterCr = false;

  *add(bytes: Uint8Array): Iterable<string> {
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) {
        this.#afterCr = false;
        continue;
      }
      // The LF of a CRLF does not end another line.
      const ends = byte === CR || !this.#afterCr;
      this.#afterCr = byte === CR;
      if (ends) {
        this.#parts.push(bytes.subarray(start, at));
        yield this.rest();
      }
      start = at + 1;
    }
    if (start < bytes.length) this.#parts.push(bytes.slice(start));
  }

  rest(): string {
    const text = Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    return text;
  }
}

function dataOf(line: string): string | null {
  if (line === 'data') return '';
  if (!line.startsWith('data:')) return null;
  return line.slice(line[5] === ' ' ? 6 : 5);
}

/** Returns the text of a body, cut at `maxBytes`. */
export async function readText(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let left = maxBytes;
  for await (const bytes of body ?? []) {
    parts.push(bytes.subarray(0, left));
    left -= bytes.length;
    if (left <= 0) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
