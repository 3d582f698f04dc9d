/** Exit codes of the command line, in one place. */
import type { ErrorCode, Outcome } from '../client/index.js';

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

/** Exit code of a run's outcome; null for a run that Temporal ended without one. */
export function exitCodeOf(outcome: Outcome | null): number {
  switch (outcome) {
    case 'completed':
    case 'answered':
      return EXIT.ok;
    case 'unverified':
    case 'budget_exhausted':
    case 'stopped':
      return EXIT.partial;
    case 'cancelled':
      return EXIT.cancelled;
    case 'failed':
    case null:
      return EXIT.failed;
  }
}

export function exitCodeOfError(code: ErrorCode): number {
  switch (code) {
    case 'unserved':
    case 'uncertain':
    case 'host':
    case 'no_result':
    case 'internal':
      return EXIT.failed;
    case 'aborted':
      return EXIT.cancelled;
    case 'usage':
    case 'configuration':
    case 'not_found':
    case 'conflict':
    case 'ended':
    case 'open':
    case 'rejected':
    case 'unreachable':
      return EXIT.usage;
  }
}
