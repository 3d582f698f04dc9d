/** Progress notifications of a call that waits: a client that counts the silence goes on waiting. */
import { preview } from '../../core/text/preview.js';
import type { Request } from './tool.js';

/** Below the shortest limit that clients have for a silent call. */
const HEARTBEAT_MS = 10_000;
const MESSAGE_CHARS = 200;

export interface Progress {
  /** What has just happened. */
  tell(message: string): void;
  end(): void;
}

/** Tells it only where the client asked for progress. */
export function progressOf({
  _meta,
  sendNotification,
}: Pick<Request, '_meta' | 'sendNotification'>): Progress {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return { tell: () => {}, end: () => {} };
  let progress = 0;
  let last = 'Waiting for the run.';
  const send = () => {
    progress += 1;
    const params = { progressToken, progress, message: last };
    // A client that is gone has nobody to tell.
    sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
  const heartbeat = setInterval(send, HEARTBEAT_MS);
  return {
    tell: message => {
      last = preview(message, MESSAGE_CHARS);
      send();
    },
    end: () => clearInterval(heartbeat),
  };
}
