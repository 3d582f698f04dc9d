/** How a fault is done. */

import type { Fault as PlainFault } from '../../../../packages/test-kit/faults.js';
import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { Frame, FrameStream, Part } from '../../../../packages/test-kit/play.js';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import type { Protocol } from '../../../../src/models/provider/endpoint.js';
import type { Seal } from '../seal.js';

/** One way in which endpoints misbehave: by another answer, another reply, or another stream. */
export interface Fault extends Omit<PlainFault, 'stream'> {
  /** Default: all. */
  protocols?: readonly Protocol[];
  /** Answers so in place of a reply; null for the reply after all. `sent` is the request. */
  answer?(protocol: Protocol, sent: Json): WireError | null;
  stream?(stream: FrameStream, protocol: Protocol, seal: Seal): Part[];
  /** Answers whole, whether a stream is wanted or not. */
  whole?: true;
  /** Headers of the stream, over the usual ones. */
  headers?: Record<string, string>;
}

/** The events of a reply, in order. */
export function framesOf({ head, chunks, tail }: FrameStream): Frame[] {
  return [...head, ...chunks.flat(), ...tail];
}

/** The events with what `change` makes of their data; null leaves one out. */
export function edited(frames: readonly Frame[], change: (data: Json) => Json | null): Frame[] {
  return frames.flatMap(frame => {
    if (typeof frame.data === 'string') return [frame];
    const data = change(frame.data as Json);
    return data === null ? [] : [{ ...frame, data }];
  });
}

/** A value with every field of this name in it, however deep, replaced; `undefined` leaves it out. */
export function withField(value: unknown, field: string, replace: (old: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(inner => withField(inner, field, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === field && inner !== null ? replace(inner) : withField(inner, field, replace),
    ]),
  );
}
