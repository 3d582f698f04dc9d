/**
 * Activities of a run: times, retries and cancellation of each kind, and what Temporal says of one that failed. Of a call
 * whose worker died, Temporal makes the tries that are left; then `rules/limits/model-failure.ts` or `run/tools/effect.ts`
 * decides. `worker/take-over.ts` only makes it known sooner.
 */
import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  isCancellation,
  scheduleActivity,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { SteersmanActivities } from '../../activities/types.js';
import { isRecord, isText } from '../../base/json/json.js';
import { FAILURE_BYTES, WORKER_TRIES } from '../../base/sizes/bounds.js';
import { cutText } from '../../base/text/fit.js';
import { type CallFailure, FAILURE } from '../../run/limits/failure.js';
import { isUsage } from '../../run/messages/message.js';
import type { Called, CallOptions } from '../run/ports.js';

/** How long a dead worker goes unnoticed: activities heartbeat every second. */
const HEARTBEAT_TIMEOUT_MS = 10_000;
/** For a call on the queue of one worker: it takes calls also while it is busy, so it is gone. */
const START_TIMEOUT_MS = 5_000;

/** What the server takes of a summary; more fails the workflow task. */
const MOST_SUMMARY_BYTES = 200;

/** One of ours. */
export function execute<A extends keyof SteersmanActivities>(
  name: A,
  input: Parameters<SteersmanActivities[A]>[0],
  options: ActivityOptions,
): ReturnType<SteersmanActivities[A]> {
  return scheduleActivity(name, [input], options) as ReturnType<SteersmanActivities[A]>;
}

export function activityOptions({
  summary,
  timeoutMs,
  wholeMs,
  attempts,
  retryDelayMs = 1_000,
  maxRetryDelayMs,
  queue,
  anyWorker = false,
}: CallOptions): ActivityOptions {
  return {
    summary: cutText(summary, MOST_SUMMARY_BYTES),
    startToCloseTimeout: timeoutMs,
    ...(wholeMs === undefined ? {} : { scheduleToCloseTimeout: wholeMs }),
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    ...(queue === undefined ? {} : { taskQueue: queue, scheduleToStartTimeout: START_TIMEOUT_MS }),
    allowEagerDispatch: !anyWorker,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: retryDelayMs,
      backoffCoefficient: 2,
      ...(maxRetryDelayMs !== undefined && { maximumInterval: maxRetryDelayMs }),
      maximumAttempts: attempts,
    },
  };
}

/**
 * Of what answers soon or is given up: it does not heartbeat, and nobody waits for its cancellation. Its tries have an
 * end, and all of them together none: that would run out while no worker is there, as if what is asked had failed.
 */
export function shortOptions(
  summary: string,
  { timeoutMs, attempts, maxRetryDelayMs }: Pick<CallOptions, 'timeoutMs' | 'attempts' | 'maxRetryDelayMs'>,
): ActivityOptions {
  return {
    summary: cutText(summary, MOST_SUMMARY_BYTES),
    startToCloseTimeout: timeoutMs,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: {
      initialInterval: 1_000,
      backoffCoefficient: 2,
      ...(maxRetryDelayMs !== undefined && { maximumInterval: maxRetryDelayMs }),
      maximumAttempts: attempts,
    },
  };
}

export const LOAD_OPTIONS: CallOptions = {
  summary: 'load prompts, tools and limits',
  timeoutMs: 120_000,
  attempts: WORKER_TRIES,
  maxRetryDelayMs: 2_000,
  // A tool server may take its time to start, and nothing is lost with it.
  interruptible: true,
};

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
    if (timeoutType === 'SCHEDULE_TO_START')
      return {
        kind: 'lost',
        type: FAILURE.tool.notSent,
        message: 'The worker that it was meant for is gone.',
      };
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
    const [details] = cause.details ?? [];
    return { kind: lost ? 'lost' : 'application', type, message, ...usageIn(details), ...hooksIn(details) };
  }
  const message = cutText(cause?.message ?? error.message, FAILURE_BYTES);
  return { kind: 'application', type: '', message };
}

function hooksIn(details: unknown): Pick<CallFailure, 'hooks'> {
  const told = isRecord(details) ? details.hooks : null;
  return Array.isArray(told) ? { hooks: told.filter(isText) } : {};
}

/** What a call tells that it used, by the details of its failure, or of its last heartbeat. */
function usageIn(details: unknown): Pick<CallFailure, 'usage'> {
  const usage = isRecord(details) ? (details.usage ?? details.spent) : null;
  return isUsage(usage) ? { usage } : {};
}
