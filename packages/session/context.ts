import type { SteersmanClient } from 'steersman/client';
import type { Output } from 'steersman/shared';

/** The client and the output of a command. */
export interface Context {
  client: SteersmanClient;
  output: Output;
  /** Receives the client's lines of progress: stderr, unless a session displays them. */
  progress: { line(text: string): void };
}
