/**
 * Activities of a run: time limits, retries and cancellation of each kind, and the reading of their failures. If a worker dies,
 * Temporal makes the remaining attempts; then `rules/limits/model-failure.ts` or `run/tools/effect.ts` decides.
 * `worker/take-over.ts` only makes the death known sooner.
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

/** Time after which a dead worker is noticed: activities heartbeat every second. */
const HEARTBEAT_TIMEOUT_MS = 10_000;
/** Limit for a call on one worker's own queue. A busy worker takes such calls too, so a late start means it is gone. */
const START_TIMEOUT_MS = 5_000;

/** The server's limit for a summary; a longer one fails the workflow task. */
const MOST_SUMMARY_BYTES = 200;

/** Runs an activity of Steersman. */
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
 * Returns options of an activity that answers soon or is given up: it does not heartbeat, and its cancellation is not awaited.
 * Its attempts are limited one by one. A common limit would expire while no worker runs, as if the activity had failed.
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
  // A tool server may start slowly, and interrupting it loses nothing.
  interruptible: true,
};

export function settle<T>(promise: Promise<T>): Promise<Called<T>> {
  return promise.then(
    value => ({ ok: true, value }),
    error => ({ ok: false, failure: callFailure(error) }),
  );
}

/** Converts Temporal's failures into the run's form. Anything else is a bug and is rethrown. */
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
      : 'Its worker no longer answers.';
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
  const names = isRecord(details) ? details.hooks : null;
  return Array.isArray(names) ? { hooks: names.filter(isText) } : {};
}

/** Returns the usage that a call reported in the details of its failure or of its last heartbeat. */
function usageIn(details: unknown): Pick<CallFailure, 'usage'> {
  const usage = isRecord(details) ? (details.usage ?? details.spent) : null;
  return isUsage(usage) ? { usage } : {};
}
