import type { SteersmanClient } from 'steersman/client';
import type { Output } from 'steersman/shared';

/** What a command works with. */
export interface Context {
  client: SteersmanClient;
  output: Output;
  /** Where the client's lines of progress go: to stderr, unless a session shows them. */
  progress: { line(text: string): void };
}
