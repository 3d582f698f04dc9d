/** Sends one reply chunk by chunk, with its pauses and its accident. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainReply, WireError } from './scripted-reply.js';

/** One server-sent event. A text is sent as it is, as `[DONE]` is. */
export interface Frame {
  /** Its name, where the protocol names events. */
  event?: string;
  data: object | string;
}

/** A part of what is sent: an event, bytes as they are, or what becomes of the connection. */
export type Part = Frame | { bytes: string | Uint8Array } | { end: 'cut' | 'stall' };

/** A streamed reply. Chunks are its parts that grow: what pauses and accidents are counted by. */
export interface FrameStream<P = Frame> {
  head: P[];
  chunks: P[][];
  tail: P[];
}

/** How a protocol says an error; `id` is that of the request. */
export interface Exchange {
  wire: { error(error: WireError, id: string): object };
  response: ServerResponse;
}

type Timing = Pick<PlainReply, 'hold' | 'delayMs' | 'error'>;

/** Sends a reply as its script says. What has no other end closes the connection in order. */
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

/** Sends these parts: whether one of them was the end of the connection. */
async function hasEnded(
  parts: readonly Part[],
  response: ServerResponse,
  left: Promise<void>,
): Promise<boolean> {
  for (const part of parts) {
    if ('data' in part) response.write(linesOf(part));
    else if ('bytes' in part) await written(response, part.bytes);
    else {
      // What was written leaves before the connection is cut: the client sees it.
      if (part.end === 'cut') response.write(': cut\n\n', () => response.destroy());
      await left;
      return true;
    }
  }
  return false;
}

/** Sends a reply to a request that does not stream. */
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

/** Bytes leave by themselves, so that what is split arrives split. */
function written(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise(resolve => response.write(bytes, () => resolve()));
}

export function sendError(error: WireError, { wire, response }: Exchange): void {
  const id = `req_${error.status}`;
  const body = error.body ?? JSON.stringify(wire.error(error, id));
  const headers = { 'content-type': 'application/json', 'request-id': id, ...error.headers };
  response.writeHead(error.status, headers).end(body);
}
