/** Sends one reply chunk by chunk, with its pauses and its fault. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainReply, WireError } from './scripted-reply.js';

/** A server-sent event. A text is sent unchanged, such as `[DONE]`. */
export interface Frame {
  /** The event's name, if the protocol names events. */
  event?: string;
  data: object | string;
}

/** A part of the response: an event, raw bytes, or an abnormal end of the connection. */
export type Part = Frame | { bytes: string | Uint8Array } | { end: 'cut' | 'stall' };

/** A streamed reply. Pauses and faults are counted in chunks. */
export interface FrameStream<P = Frame> {
  head: P[];
  chunks: P[][];
  tail: P[];
}

/** The protocol, which forms errors (`id` identifies the request), and the response. */
export interface Exchange {
  wire: { error(error: WireError, id: string): object };
  response: ServerResponse;
}

type Timing = Pick<PlainReply, 'hold' | 'delayMs' | 'error'>;

/** Sends a reply as its script says. Without an end part, the connection closes normally. */
export async function play(
  { head, chunks, tail }: FrameStream<Part>,
  { hold, delayMs, error }: Timing,
  exchange: Exchange,
  headers: Record<string, string> = {},
): Promise<void> {
  const { response } = exchange;
  const left = new Promise<void>(resolve => {
    if (response.destroyed) resolve();
    response.once('close', resolve);
  });
  for (let at = 0; at <= chunks.length; at++) {
    const holdsAt = hold?.atChunk === 'end' ? chunks.length : (hold?.atChunk ?? 0);
    if (holdsAt === at) await Promise.race([hold?.until, left]);
    if (response.destroyed) return;
    if (at === 0 && error) return sendError(error, exchange);
    if (at === 0) {
      response.writeHead(200, { ...STREAM_HEADERS, ...headers });
      if (await hasEnded(head, response, left)) return;
    }
    if (delayMs) await sleep(delayMs);
    if (await hasEnded(chunks[at] ?? tail, response, left)) return;
  }
  response.end();
}

/** Sends these parts. Returns true if one of them ended the connection. */
async function hasEnded(
  parts: readonly Part[],
  response: ServerResponse,
  left: Promise<void>,
): Promise<boolean> {
  for (const part of parts) {
    if ('data' in part) response.write(linesOf(part));
    else if ('bytes' in part) await written(response, part.bytes);
    else {
      // The connection is cut only after the bytes were flushed, so that the client sees them.
      if (part.end === 'cut') response.write(': cut\n\n', () => response.destroy());
      await left;
      return true;
    }
  }
  return false;
}

/** Sends a complete reply to a request that does not stream. */
export function playWhole(body: object, reply: Timing, exchange: Exchange): Promise<void> {
  const bytes = JSON.stringify(body);
  return play({ head: [], chunks: [], tail: [{ bytes }] }, reply, exchange, {
    'content-type': 'application/json',
  });
}

const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

function linesOf({ event, data }: Frame): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Waits for the flush, so that split parts arrive split. */
function written(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise(resolve => response.write(bytes, () => resolve()));
}

export function sendError(error: WireError, { wire, response }: Exchange): void {
  const id = `req_${error.status}`;
  const body = error.body ?? JSON.stringify(wire.error(error, id));
  const headers = { 'content-type': 'application/json', 'request-id': id, ...error.headers };
  response.writeHead(error.status, headers).end(body);
}
