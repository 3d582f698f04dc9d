/** Heartbeats of a tool call: they show that it is alive, and its server's progress. */
import { heartbeat } from '@temporalio/activity';
import { headChars } from '../../base/text/large-text.js';
import type { CallToolInput } from '../types.js';

const PROGRESS_CHARS = 200;
const HEARTBEAT_MS = 1_000;

interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface Beat {
  /** Sets the details of this and the next heartbeats. */
  progress(details: Progress): void;
  stop(): void;
}

export function startHeartbeat({ callId, tool }: CallToolInput, redact = (text: string) => text): Beat {
  let details: Record<string, unknown> = { callId, tool };
  // The first heartbeat is delayed: each is a write of the server, and most calls end before it.
  const timer = setInterval(() => heartbeat(details), HEARTBEAT_MS);
  // The whole text is cleaned, then cut: half a secret would not be recognised.
  const short = (text: string) => headChars(redact(text), PROGRESS_CHARS);
  return {
    progress: ({ progress, total, message }) => {
      details = {
        callId,
        tool,
        progress,
        total,
        message: message === undefined ? undefined : short(message),
      };
      heartbeat(details);
    },
    stop: () => clearInterval(timer),
  };
}
