/** Heartbeats of a tool call: that it is alive, and how far its server says it is. */
import { heartbeat } from '@temporalio/activity';
import type { CallToolInput } from './types.js';

const HEARTBEAT_MS = 1_000;

interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface Beat {
  /** What the next heartbeats tell besides that the call is alive. */
  progress(details: Progress): void;
  stop(): void;
}

export function startHeartbeat({ callId, tool }: CallToolInput): Beat {
  let details: Record<string, unknown> = { callId, tool };
  heartbeat(details);
  const timer = setInterval(() => heartbeat(details), HEARTBEAT_MS);
  return {
    progress({ progress, total, message }) {
      details = { callId, tool, progress, total, message: message?.slice(0, 200) };
      heartbeat(details);
    },
    stop: () => clearInterval(timer),
  };
}
