/** Heartbeats of a tool call: that it is alive, and how far its server says it is. */
import { heartbeat } from '@temporalio/activity';
import type { TaskRef } from '../../core/limits/heartbeats.js';
import { headChars } from '../../core/text/large-text.js';
import type { CallToolInput } from '../types.js';

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
  /** What the server says of how its task stands. */
  status(message: string): void;
  /** The call goes on as a task: told at once, and found by the next try; null: it is none any more. */
  task(task: TaskRef | null): void;
  stop(): void;
}

export function startHeartbeat({ callId, tool }: CallToolInput, redact = (text: string) => text): Beat {
  let details: Record<string, unknown> = { callId, tool };
  // None at once: each is a write of the server, and most calls end before the first.
  const timer = setInterval(() => heartbeat(details), HEARTBEAT_MS);
  const tell = (more: Record<string, unknown>) => {
    details = { ...details, ...more };
    heartbeat(details);
  };
  // Whole texts are cleaned, then cut: half a secret would not be recognised.
  const short = (text: string) => headChars(redact(text), PROGRESS_CHARS);
  return {
    progress: ({ progress, total, message }) =>
      tell({ progress, total, message: message === undefined ? undefined : short(message) }),
    status: message => tell({ message: short(message) }),
    task: task => tell({ task }),
    stop: () => clearInterval(timer),
  };
}
