/**
 * What kind of thing went wrong: for programs. Each has one exit code of the command line.
 * - `usage`: the call itself is wrong: an argument, a setting, a goal.
 * - `configuration`: a file, a variable or a prompt is wrong.
 * - `not_found`: there is no such run, namespace or stored text.
 * - `conflict`: the id is in use, or was.
 * - `ended`: the run has ended and takes nothing more.
 * - `open`: the run has not ended, and this needs one that has.
 * - `rejected`: the run does not take it: a gate that is closed, an answer that does not fit.
 * - `no_result`: the run has ended without a result: terminated, or timed out.
 * - `unserved`: no worker answers for the run.
 * - `unreachable`: Temporal does not answer, or refuses this client.
 * - `uncertain`: Temporal stopped answering on the way: it may have been done. Look before you repeat it.
 * - `host`: this machine refuses: a disk, a file, a process that does not start.
 * - `aborted`: the caller's `AbortSignal` ended the wait, or the client was closed. What was sent takes effect.
 * - `internal`: a fault of Steersman itself.
 */
export const ERROR_CODES = [
  'usage',
  'configuration',
  'not_found',
  'conflict',
  'ended',
  'open',
  'rejected',
  'no_result',
  'unserved',
  'unreachable',
  'uncertain',
  'host',
  'aborted',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error that a person can act on: what was wrong and where (`message`), what to do (`remedy`, or ''). */
export class SteersmanError extends Error {
  override readonly name = 'SteersmanError';
  readonly code: ErrorCode;
  readonly remedy: string;

  constructor(message: string, remedy: string, code: ErrorCode = 'configuration') {
    super(message);
    this.code = code;
    this.remedy = remedy;
  }
}
