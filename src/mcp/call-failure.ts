/**
 * Why a tool call has no result:
 * - `not_sent`: the server can not have seen the request, so it may be sent again;
 * - `busy`: the server takes no more requests now, so it may be sent again later;
 * - `timed_out`, `connection_lost`: sent, and nobody knows what became of it;
 * - `aborted`: the caller gave up;
 * - `rejected`: the server answered with a protocol error, which is in `code`;
 * - `task_lost`: the call was a task of the server, which has cancelled it or knows it no more.
 */
export type CallFailureKind =
  | 'not_sent'
  | 'busy'
  | 'timed_out'
  | 'connection_lost'
  | 'aborted'
  | 'rejected'
  | 'task_lost';

export class McpCallError extends Error {
  override readonly name = 'McpCallError';
  readonly kind: CallFailureKind;
  /** JSON-RPC error code of `rejected`. */
  readonly code: number | undefined;

  /** How long the server of a `busy` wants to be left alone, where it says so. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: CallFailureKind,
    message: string,
    { code, retryAfterMs = null }: { code?: number; retryAfterMs?: number | null } = {},
  ) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Thrown by transports: the message did not leave whole. */
export class NotSentError extends Error {
  override readonly name: string = 'NotSentError';
}

/** The server has too many requests, and did not take this one up (HTTP 429). */
export class BusyError extends NotSentError {
  override readonly name = 'BusyError';
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
