/** Whether a run ended in failure. */
import { causeText } from '../../core/cause.js';
import type { RunEnd } from '../runs/run-end.js';

/** Why the run failed, in a sentence; null where it ended otherwise, be it stopped or out of budget. */
export function failureOf({ outcome, cause, failure }: RunEnd): string | null {
  if (outcome !== null && outcome !== 'failed') return null;
  if (failure !== null && failure.message !== '') return failure.message;
  return cause === null ? 'The run failed.' : causeText(cause);
}
