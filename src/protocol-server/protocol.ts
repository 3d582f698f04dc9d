/** What a protocol is to the server: how its requests read, and how one canonical reply looks on its wire. */
import type { FullReply, WireError } from './reply.js';
import type { WireBody } from './request.js';
import type { Seal } from './seal.js';

/** One server-sent event. A text is sent as it is, as `[DONE]` is. */
export interface Frame {
  /** Its name, where the protocol names events. */
  event?: string;
  data: object | string;
}

/** A streamed reply. Chunks are its parts that grow: what pauses and accidents are counted by. */
export interface FrameStream {
  head: Frame[];
  chunks: Frame[][];
  tail: Frame[];
}

export type Json = Record<string, unknown>;

export interface ProtocolSide {
  path: string;
  /** The request as scripts read it. Null when it has not even the outline of one. */
  toChat(body: Json): WireBody | null;
  /** What the provider answers to a request that breaks its published rules; null for one that keeps them. */
  refuse(body: Json, seal: Seal, headers: Readonly<Record<string, string>>): WireError | null;
  stream(reply: FullReply, body: Json, seal: Seal): FrameStream;
  /** The reply to a request that does not stream. */
  whole(reply: FullReply, body: Json, seal: Seal): object;
  /** The body of an error answer; `id` is that of the request. */
  error(error: WireError, id: string): object;
  /** An error in the midst of a stream. */
  errorFrame(error: WireError): Frame;
  /** An entry of the list of models. */
  model(id: string): object;
}
