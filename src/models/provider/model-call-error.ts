import { isRetryableModelFailure, type ModelFailureType } from '../../run/limits/failure.js';

/** A classified failure of a model call. The message is for people and holds no key and no request text. */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';
  readonly type: ModelFailureType;
  /** What the endpoint asked us to wait, milliseconds; null when it said nothing. */
  readonly retryAfterMs: number | null;
  /** Whether a later try of the same model may work. By its type, unless the endpoint says so itself. */
  readonly retryable: boolean;

  constructor(
    type: ModelFailureType,
    message: string,
    retryAfterMs: number | null = null,
    retryable: boolean = isRetryableModelFailure(type),
  ) {
    super(message);
    this.type = type;
    this.retryAfterMs = retryAfterMs;
    this.retryable = retryable;
  }
}
