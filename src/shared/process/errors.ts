/**
 * Error codes for programs. The command line maps each of them to an exit code.
 * - `usage`: the call itself is wrong: an argument, a setting, a goal.
 * - `configuration`: a file, a variable or a prompt is wrong.
 * - `not_found`: there is no such run, namespace or stored text.
 * - `conflict`: the id is or was in use.
 * - `ended`: the run has ended and accepts nothing more.
 * - `open`: the run must have ended for this, but is still open.
 * - `rejected`: the run does not accept it: a gate that is closed, an answer that does not fit.
 * - `no_result`: the run has ended without a result: terminated, or timed out.
 * - `unserved`: no worker answers for the run.
 * - `unreachable`: Temporal does not answer, or refuses this client.
 * - `uncertain`: Temporal stopped answering during the request, which may have taken effect. Check before you repeat
 *   it.
 * - `host`: this machine refuses: a disk, a file, a process that does not start.
 * - `aborted`: the caller's `AbortSignal` ended the wait, or the client was closed. Requests already sent take effect.
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

/** An error that a person can act on: `message` says what was wrong and where; `remedy` says what to do, or is ''. */
export class SteersmanError extends Error {
  override readonly name = 'SteersmanError';
  readonly code: ErrorCode;
  readonly remedy: string;
  /** The option of a start that is wrong, such as `model`; null if it is not known. */
  readonly option: string | null;

  constructor(
    message: string,
    remedy: string,
    code: ErrorCode = 'configuration',
    option: string | null = null,
  ) {
    super(message);
    this.code = code;
    this.remedy = remedy;
    this.option = option;
  }
}

/** For what may not be there: returns null if it is unknown. @throws any other error. */
export function unlessUnknown(error: unknown): null {
  if (error instanceof SteersmanError && error.code === 'not_found') return null;
  throw error;
}

/** The body of an HTTP answer that refuses a request, or tells of a failure. */
export interface FaultBody {
  error: { code: string; message: string; remedy: string; option?: string };
}
