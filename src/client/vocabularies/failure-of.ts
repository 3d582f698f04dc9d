/** Whether a run ended in failure. */

import { FAILURE, isRetryableModelFailure } from '../../core/limits/failure.js';
import { causeText } from '../../core/plan/cause.js';
import type { RunEnd } from '../run/run-end.js';

/** Why the run failed, in a sentence; null where it ended otherwise, be it stopped or out of budget. */
export function failureOf({ outcome, cause, failure }: RunEnd): string | null {
  if (outcome !== null && outcome !== 'failed') return null;
  if (failure !== null && failure.message !== '') return failure.message;
  return cause === null ? 'The run failed.' : causeText(cause);
}

/** Failures of no model that pass: a call that took too long, and workers that died. */
const PASSING: ReadonlySet<string> = new Set(['timedOut', FAILURE.workerLost]);

/** Whether a later try may cure what the run failed of: by its own record, whatever a watcher has seen of it. */
export function isPassing({ cause }: RunEnd): boolean {
  const type = /^failed:(.*)$/.exec(cause ?? '')?.[1] ?? '';
  return isRetryableModelFailure(type) || PASSING.has(type);
}
