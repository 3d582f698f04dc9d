/** Times, retries and cancellation of each kind of activity. */
import { ActivityCancellationType } from '@temporalio/workflow';
import { WORKER_TRIES } from '../../core/state/bounds.js';
import { cutText } from '../../core/text/fit.js';
import type { CallOptions } from '../ports.js';

/** How long a dead worker goes unnoticed: activities heartbeat every second. */
const HEARTBEAT_TIMEOUT_MS = 10_000;
/** For a call on the queue of one worker: it takes calls also while it is busy, so it is gone. */
const START_TIMEOUT_MS = 5_000;

/** What the server takes of a summary; more fails the workflow task. */
const MOST_SUMMARY_BYTES = 200;

export function activityOptions({
  summary,
  timeoutMs,
  wholeMs,
  attempts,
  retryDelayMs = 1_000,
  maxRetryDelayMs,
  queue,
  anyWorker = false,
}: CallOptions) {
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

/** A store that is slow or full holds no run up: the text is cut instead. */
export function storeOptions(name: string, once: boolean) {
  return {
    summary: `keep ${cutText(name, MOST_SUMMARY_BYTES)}`,
    startToCloseTimeout: once ? 5_000 : 10_000,
    scheduleToCloseTimeout: once ? 10_000 : 40_000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumAttempts: once ? 1 : 3 },
  };
}

/** It does not heartbeat: a store answers, or its time is up. */
export function artifactOptions({ summary, attempts }: CallOptions) {
  return {
    summary: cutText(summary, MOST_SUMMARY_BYTES),
    startToCloseTimeout: 60_000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumAttempts: attempts },
  };
}

/** It changes nothing. */
export function checkOptions({ summary }: CallOptions) {
  return {
    summary: `check ${cutText(summary, MOST_SUMMARY_BYTES)}`,
    startToCloseTimeout: 60_000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumAttempts: 3 },
  };
}

/** A program that is slow or fails holds no run up: its chain is used. */
export const RESOLVE_OPTIONS = {
  summary: 'choose a model',
  startToCloseTimeout: 10_000,
  scheduleToCloseTimeout: 30_000,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { maximumAttempts: 2 },
};

/** A disk that is slow holds no question up: it is asked without. */
export const COMPARE_OPTIONS = {
  summary: 'compare a file',
  startToCloseTimeout: 5_000,
  scheduleToCloseTimeout: 15_000,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { maximumAttempts: 2 },
};

export const LOAD_OPTIONS: CallOptions = {
  summary: 'load prompts, tools and limits',
  timeoutMs: 120_000,
  attempts: WORKER_TRIES,
  maxRetryDelayMs: 2_000,
  // A tool server may take its time to start, and nothing is lost with it.
  interruptible: true,
};
