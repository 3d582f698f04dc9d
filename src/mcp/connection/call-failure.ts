import type { NotBegun } from '../../run/tools/effect.js';

/**
 * Why a tool call has no result:
 * - `not_begun`: there is a proof that the server has not begun it, so it may be sent again;
 * - `busy`: the server accepts no requests now; it may be sent again later if `proof` shows that it was not begun;
 * - `timed_out`, `connection_lost`: it was sent, and its outcome is unknown;
 * - `aborted`: the caller gave up;
 * - `rejected`: the server answered with a protocol error, whose code is in `code`.
 */
export type CallFailureKind = 'not_begun' | 'busy' | 'timed_out' | 'connection_lost' | 'aborted' | 'rejected';

export interface FailureFacts {
  /** The proof that the call was not begun. Default: null, so it may have begun. */
  proof?: NotBegun | null;
  /** The JSON-RPC error code of a `rejected` call. */
  code?: number;
  /** True if a function of this process refused its arguments before it was called. Default false. */
  notCalled?: boolean;
  status?: number;
  retryAfterMs?: number | null;
  /** True if the connection is unusable, so that the next caller needs another one. Default false. */
  reconnect?: boolean;
}

export class McpCallError extends Error {
  override readonly name = 'McpCallError';
  readonly kind: CallFailureKind;
  readonly proof: NotBegun | null;
  readonly code: number | undefined;
  readonly notCalled: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | null;
  readonly reconnect: boolean;

  constructor(
    kind: CallFailureKind,
    message: string,
    {
      proof = null,
      code,
      notCalled = false,
      status,
      retryAfterMs = null,
      reconnect = false,
    }: FailureFacts = {},
  ) {
    super(message);
    this.kind = kind;
    this.proof = proof;
    this.code = code;
    this.notCalled = notCalled;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.reconnect = reconnect;
  }
}

/** Thrown by transports if there is a proof that the call was not begun. */
export class NotBegunError extends Error {
  override readonly name = 'NotBegunError';
  readonly proof: NotBegun;

  constructor(proof: NotBegun, message: string) {
    super(message);
    this.proof = proof;
  }
}

export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  readonly proof: NotBegun | null;
  readonly retryAfterMs: number | null;
  readonly inSession: boolean;

  constructor(given: Pick<HttpStatusError, 'status' | 'proof' | 'retryAfterMs' | 'inSession'>, said: string) {
    super(`it answered HTTP ${given.status}${said === '' ? '' : `: ${said}`}`);
    this.status = given.status;
    this.proof = given.proof;
    this.retryAfterMs = given.retryAfterMs;
    this.inSession = given.inSession;
  }
}
