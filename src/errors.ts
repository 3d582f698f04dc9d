/**
 * An error that a person can act on: what was wrong and where (`message`), what to do (`hint`).
 * The command line prints both without a stack trace and ends with `exitCode`.
 */
export class SteersmanError extends Error {
  override readonly name = 'SteersmanError';
  readonly hint: string;
  readonly exitCode: number;

  constructor(message: string, hint: string, exitCode = 2) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
