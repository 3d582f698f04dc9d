/** Sets how a command line answers a wrong call and `--help`. */

import { type Command, CommanderError } from 'commander';
import { SteersmanError } from 'steersman/client';
import { errorLine, outLine } from 'steersman/shared';
import { EXIT, exitCodeOfError } from './exit-codes.js';
import { placeholder, refuseExtra, refuseHelp } from './refuse.js';

/** Sets what every command needs; its verbs inherit the settings. */
export function strict(program: Command): Command {
  return (
    refuseHelp(refuseExtra(program))
      .exitOverride()
      .configureOutput({
        writeOut: text => outLine(text.trimEnd()),
        writeErr: text => errorLine(text.trimEnd()),
      })
      // Short names of commands leave room in 80 columns for what the commands do.
      .configureHelp({
        subcommandTerm: command =>
          [command.name(), ...command.registeredArguments.map(placeholder)].join(' '),
      })
      .showSuggestionAfterError()
      .showHelpAfterError('(--help shows how to call it)')
  );
}

/** Returns the exit code for any error of a call. Commander has printed its own errors, such as a wrong option. */
export function exitCodeOfFault(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  return error instanceof SteersmanError ? exitCodeOfError(error.code) : EXIT.failed;
}

export function isPrinted(error: unknown): boolean {
  return error instanceof CommanderError;
}
