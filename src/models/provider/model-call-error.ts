import { isRetryableModelFailure, type ModelFailureType } from '../../run/limits/failure.js';

/** A classified failure of a model call. The message is for people and holds no key and no request text. */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';
  readonly type: ModelFailureType;
  /** The wait that the endpoint asked for, milliseconds; null if it named no wait. */
  readonly retryAfterMs: number | null;
  /** True if a later attempt with the same model may work. The failure type decides, unless the endpoint itself says so. */
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
