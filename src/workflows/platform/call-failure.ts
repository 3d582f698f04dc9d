/** What Temporal says of a failed call, in core's words. */
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { CallFailure } from '../../core/limits/failure.js';
import { FAILURE } from '../../core/limits/failure.js';
import { FAILURE_BYTES } from '../../core/state/bounds.js';
import { isUsage } from '../../core/state/message.js';
import { cutText } from '../../core/text/fit.js';
import { isRecord } from '../../core/text/json.js';
import type { Called } from '../ports.js';

export function settle<T>(promise: Promise<T>): Promise<Called<T>> {
  return promise.then(
    value => ({ ok: true, value }),
    error => ({ ok: false, failure: callFailure(error) }),
  );
}

/** Temporal's failures in core's words. Anything else is a bug and goes on as it is. */
function callFailure(error: unknown): CallFailure {
  if (isCancellation(error)) return { kind: 'cancelled', type: '', message: '' };
  if (!(error instanceof ActivityFailure)) throw error;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) {
    const { timeoutType, lastHeartbeatDetails } = cause;
    if (timeoutType === 'SCHEDULE_TO_START') {
      return {
        kind: 'lost',
        type: FAILURE.tool.notSent,
        message: 'The worker that it was meant for is gone.',
      };
    }
    const outOfTime = timeoutType === 'START_TO_CLOSE' || timeoutType === 'SCHEDULE_TO_CLOSE';
    const message = outOfTime
      ? 'It did not end within its time, and its worker did not say why.'
      : 'Its worker was not heard of any more.';
    return { kind: outOfTime ? 'timedOut' : 'lost', type: '', message, ...usageIn(lastHeartbeatDetails) };
  }
  if (cause instanceof ApplicationFailure) {
    const type = cause.type ?? '';
    const lost =
      type === FAILURE.stateUnavailable || type === FAILURE.workerShutdown || type === 'WorkerShutdown';
    const message = cutText(cause.message, FAILURE_BYTES);
    return { kind: lost ? 'lost' : 'application', type, message, ...usageIn(cause.details?.[0]) };
  }
  const message = cutText(cause?.message ?? error.message, FAILURE_BYTES);
  return { kind: 'application', type: '', message };
}

/** What a call tells that it used, by the details of its failure, or of its last heartbeat. */
function usageIn(details: unknown): Pick<CallFailure, 'usage'> {
  const usage = isRecord(details) ? (details.usage ?? details.spent) : null;
  return isUsage(usage) ? { usage } : {};
}
