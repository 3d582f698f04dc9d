/** What a protocol is to the server: how its requests read, and how one canonical reply looks on its wire. */

import type { Json, ModelProtocol } from '../../../packages/test-kit/model-server.js';
import type { Frame, FrameStream } from '../../../packages/test-kit/play.js';
import type { FullReply, WireError } from '../../../packages/test-kit/scripted-reply.js';
import type { Protocol } from '../../../src/models/provider/endpoint.js';
import type { Seal } from './seal.js';

export interface ProtocolSide extends ModelProtocol {
  name: Protocol;
  /** What the provider answers to a request that breaks its published rules; null for one that keeps them. */
  refuse(body: Json, seal: Seal, headers: Readonly<Record<string, string>>): WireError | null;
  stream(reply: FullReply, body: Json, seal: Seal): FrameStream;
  /** The reply to a request that does not stream. */
  whole(reply: FullReply, body: Json, seal: Seal): object;
  /** An error in the midst of a stream. */
  errorFrame(error: WireError): Frame;
  /** An entry of the list of models. */
  model(id: string): object;
}
