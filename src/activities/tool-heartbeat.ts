/** Heartbeats of a tool call: that it is alive, and how far its server says it is. */
import { heartbeat } from '@temporalio/activity';
import { headChars } from '../core/large-text.js';
import type { Usage } from '../core/message.js';
import type { CallToolInput } from './types.js';

const PROGRESS_CHARS = 200;
const HEARTBEAT_MS = 1_000;

interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface Beat {
  /** What the next heartbeats tell besides that the call is alive. */
  progress(details: Progress): void;
  /** What a model was asked for the server so far: told with the others, and found by the next try. */
  spent(usage: Usage): void;
  stop(): void;
}

export function startHeartbeat({ callId, tool }: CallToolInput, redact = (text: string) => text): Beat {
  let details: Record<string, unknown> = { callId, tool };
  // None at once: each is a write of the server, and most calls end before the first.
  const timer = setInterval(() => heartbeat(details), HEARTBEAT_MS);
  return {
    progress({ progress, total, message }) {
      // Whole texts are cleaned, then cut: half a secret would not be recognised.
      const said = message === undefined ? undefined : headChars(redact(message), PROGRESS_CHARS);
      details = { ...details, progress, total, message: said };
      heartbeat(details);
    },
    spent(usage) {
      details = { ...details, spent: usage };
      heartbeat(details);
    },
    stop: () => clearInterval(timer),
  };
}
