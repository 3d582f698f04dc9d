/** Sends one reply chunk by chunk, with its pauses and its accident. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Part } from './faults/fault.js';
import type { Frame, Json, ProtocolSide } from './protocol.js';
import type { FullReply, ScriptedReply, WireError } from './reply.js';
import type { Seal } from './seal.js';

export interface Exchange {
  side: ProtocolSide;
  response: ServerResponse;
  /** The request as it was sent. */
  sent: Json;
  seal: Seal;
  /** Aborted when the client leaves. */
  gone: AbortSignal;
}

/** Plays the reply as its script says. */
export async function play(script: ScriptedReply, reply: FullReply, exchange: Exchange): Promise<void> {
  const { side, response, sent, seal, gone } = exchange;
  const left = whenGone(gone);
  const stream = side.stream(reply, sent, seal);
  const send = (frames: Frame[]) => {
    if (sent.stream !== true) return;
    if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
    for (const frame of frames) response.write(linesOf(frame));
  };
  for (let at = 0; at <= stream.chunks.length; at++) {
    if (script.hold && (script.hold.atChunk ?? 0) === at) await Promise.race([script.hold.until, left]);
    if (gone.aborted) return;
    const { error } = script;
    if (error && (error.afterChunks ?? 0) === at) return sendError(error, exchange);
    if (script.raw) return sendRaw(script.raw, response);
    if (at === 0) send(stream.head);
    if (script.dropAfterChunks === at) return drop(response);
    if (script.stallAfterChunks === at) {
      await left;
      return;
    }
    if (script.delayMs) await sleep(script.delayMs);
    send(stream.chunks[at] ?? []);
  }
  if (script.holdEnd) await Promise.race([script.holdEnd, left]);
  if (gone.aborted) return;
  send(stream.tail);
  if (sent.stream === true) response.end();
  else sendJson(response, 200, side.whole(reply, sent, seal));
}

/** Streams what a fault has made of the reply. */
export async function playParts(
  parts: readonly Part[],
  headers: Fault['headers'],
  { response, gone }: Pick<Exchange, 'response' | 'gone'>,
): Promise<void> {
  response.writeHead(200, { ...STREAM_HEADERS, ...headers });
  for (const part of parts) {
    if ('bytes' in part) await written(response, part.bytes);
    else if (!('end' in part)) await written(response, linesOf(part));
    else if (part.end === 'cut') return drop(response);
    else {
      await whenGone(gone);
      return;
    }
  }
  response.end();
}

/** Each part leaves by itself, so that what is split arrives split. */
function written(response: ServerResponse, bytes: string | Uint8Array): Promise<void> {
  return new Promise(resolve => response.write(bytes, () => resolve()));
}

function whenGone(gone: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (gone.aborted) resolve();
    gone.addEventListener('abort', () => resolve());
  });
}

const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

function linesOf({ event, data }: Frame): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** An HTTP error; after the reply has begun, an error event in the stream. */
export function sendError(error: WireError, { side, response }: Pick<Exchange, 'side' | 'response'>): void {
  const id = `req_${error.status}`;
  if (response.headersSent) {
    response.end(error.body === undefined ? linesOf(side.errorFrame(error)) : `data: ${error.body}\n\n`);
    return;
  }
  const body = error.body ?? JSON.stringify(side.error(error, id));
  const headers = { 'content-type': 'application/json', 'request-id': id, ...error.headers };
  response.writeHead(error.status, headers).end(body);
}

type Raw = NonNullable<ScriptedReply['raw']>;

function sendRaw({ body, contentType = 'text/event-stream' }: Raw, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': contentType }).end(body);
}

/** Cuts the connection in the middle, once what was written has left: the client sees those chunks. */
function drop(response: ServerResponse): void {
  if (response.headersSent) response.write(': cut\n\n', () => response.destroy());
  else response.destroy();
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
