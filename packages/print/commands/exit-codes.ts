/** Exit codes of the command line, in one place. */
import type { ErrorCode, Outcome } from 'steersman/client';

export const EXIT = {
  ok: 0,
  /** The run failed, was terminated or timed out; or something broke on our side. */
  failed: 1,
  /** Not done as asked: wrong arguments, an unknown run, Temporal out of reach. */
  usage: 2,
  /** There is an answer, but it was to be verified and was not, a cap was reached, or a person stopped the run. */
  partial: 3,
  cancelled: 130,
  /** Nobody reads the output any more: what a shell says of a program that SIGPIPE ended. */
  cutPipe: 141,
} as const;

const OF_OUTCOME: Record<Outcome, number> = {
  completed: EXIT.ok,
  answered: EXIT.ok,
  unverified: EXIT.partial,
  budget_exhausted: EXIT.partial,
  stopped: EXIT.partial,
  cancelled: EXIT.cancelled,
  failed: EXIT.failed,
};

/** Exit code of a run's outcome; null for a run that Temporal ended without one. */
export function exitCodeOf(outcome: Outcome | null): number {
  return outcome === null ? EXIT.failed : OF_OUTCOME[outcome];
}

/** What broke on our side; every other error is one of the call. */
const FAILED: readonly ErrorCode[] = ['unserved', 'uncertain', 'host', 'no_result', 'internal'];

export function exitCodeOfError(code: ErrorCode): number {
  if (code === 'aborted') return EXIT.cancelled;
  return FAILED.includes(code) ? EXIT.failed : EXIT.usage;
}
