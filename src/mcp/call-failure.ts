/**
 * Why a tool call has no result:
 * - `not_sent`: the server can not have seen the request, so it may be sent again;
 * - `timed_out`, `connection_lost`: sent, and nobody knows what became of it;
 * - `aborted`: the caller gave up;
 * - `rejected`: the server answered with a protocol error, which is in `code`.
 */
export type CallFailureKind = 'not_sent' | 'timed_out' | 'connection_lost' | 'aborted' | 'rejected';

export class McpCallError extends Error {
  override readonly name = 'McpCallError';
  readonly kind: CallFailureKind;
  /** JSON-RPC error code of `rejected`. */
  readonly code: number | undefined;

  constructor(kind: CallFailureKind, message: string, code?: number) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** Thrown by transports: the message did not leave whole. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}
