/** How a fault is done. */
import type { Protocol } from '../../models/endpoint.js';
import type { Frame, FrameStream } from '../protocol.js';
import type { ScriptedReply, WireError } from '../reply.js';

/** A part of a broken stream: an event, bytes as they are, or what becomes of the connection. */
export type Part = Frame | { bytes: string | Uint8Array } | { end: 'cut' | 'stall' };

/** One way in which endpoints misbehave: by another answer, another reply, or another stream. */
export interface Fault {
  /** Default: all. */
  protocols?: readonly Protocol[];
  /** Answers so in place of a reply. */
  answer?(protocol: Protocol): WireError;
  /** Replies otherwise than the script says. */
  reply?(reply: ScriptedReply): ScriptedReply;
  /** Streams the reply otherwise. What has no end closes the connection in order. */
  stream?(stream: FrameStream, protocol: Protocol): Part[];
  /** Headers of the stream, over the usual ones. */
  headers?: Record<string, string>;
}

/** The events of a reply, in order. */
export function framesOf({ head, chunks, tail }: FrameStream): Frame[] {
  return [...head, ...chunks.flat(), ...tail];
}
