/** Exit codes of the command line, in one place. */
import type { ErrorCode, Outcome } from 'steersman/client';

export const EXIT = {
  ok: 0,
  /** The run failed, was terminated or timed out; or Steersman itself failed. */
  failed: 1,
  /** The call was refused: wrong arguments, an unknown run, or an unreachable Temporal. */
  usage: 2,
  /** The run has an answer, but verification did not succeed, a limit was reached, or a person stopped the run. */
  partial: 3,
  cancelled: 130,
  /** The reader of the output has gone: shells use this code for a program that SIGPIPE ended. */
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

/** Returns the exit code of an outcome; null means that Temporal ended the run without an outcome. */
export function exitCodeOf(outcome: Outcome | null): number {
  return outcome === null ? EXIT.failed : OF_OUTCOME[outcome];
}

/** Codes of failures inside Steersman; other errors are caused by the call. */
const FAILED: readonly ErrorCode[] = ['unserved', 'uncertain', 'host', 'no_result', 'internal'];

export function exitCodeOfError(code: ErrorCode): number {
  if (code === 'aborted') return EXIT.cancelled;
  return FAILED.includes(code) ? EXIT.failed : EXIT.usage;
}
