/** The base of all commands: options, connection, errors as messages, exit codes. */

import { EXIT, exitCodeOfError, remedyOf, tellCalls } from '@steersman/print';
import type { Context } from '@steersman/session';
import { tellUnread } from '@steersman/session';
import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { errorText } from 'steersman/base';
import { connect, explainError, type Run, SteersmanError } from 'steersman/client';
import { defaultConfigDir, isTrusted, loadVariables } from 'steersman/config';
import { createOutput, endWithReader, errorLine, hintCommands, jsonLine, outLine } from 'steersman/shared';

export interface CommonOptions {
  json?: boolean;
}

export function runVerb(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).argument('<id>', 'id of the run');
}

/** Adds `--json` and examples to a verb. */
export function describeVerb(command: Command, examples: string[]): Command {
  return command
    .option('--json', 'machine-readable lines on stdout, everything else on stderr')
    .addHelpText('after', `\nExamples:\n${examples.map(example => `  ${example}`).join('\n')}`);
}

/**
 * Connects and calls `work`, which resolves to the exit code (nothing means 0). The connection is not closed: it ends
 * with the process, which ends after `work`. If it were closed first, the SDK would retry pending calls, and their
 * errors would be uncaught.
 */
export async function withClient(
  options: CommonOptions,
  work: (context: Context) => Promise<number | undefined>,
): Promise<void> {
  const output = createOutput(options);
  tellUnread();
  const progress = { line: (text: string) => output.notes.line(text) };
  const client = await connect({ report: text => progress.line(text) });
  process.exitCode = (await work({ client, output, progress })) ?? EXIT.ok;
}

/** Calls `withClient` for a verb about one run. Throws a SteersmanError if there is no run of this id. */
export function withRun(
  options: CommonOptions,
  id: string,
  work: (run: Run, context: Context) => Promise<number | undefined>,
): Promise<void> {
  return withClient(options, async context => work(await context.client.attach(id), context));
}

/** Returns the action of a verb about a run: it resolves the id and passes the run in its place. */
export function onRun<Given extends unknown[]>(
  work: (run: Run, context: Context, ...rest: Given) => Promise<number | undefined>,
) {
  return (id: string, ...rest: unknown[]): Promise<void> => {
    const options = (rest.at(-1) as Command).opts<CommonOptions>();
    return withRun(options, id, (run, context) => work(run, context, ...(rest as Given)));
  };
}

/** Runs a command line and ends the process: errors become a message and an exit code, never a stack trace. */
export async function runCommandLine(program: Command): Promise<void> {
  hintCommands();
  tellCalls(program);
  endWithReader(EXIT.cutPipe);
  const here = defaultConfigDir();
  try {
    // In a folder that is not trusted, verbs that need its configuration ask first. A named folder has its own variables.
    if (!namesConfig(process.argv) && isTrusted(here)) loadVariables(here);
    await program.parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
  await Promise.all([written(process.stdout), written(process.stderr)]);
  process.exit();
}

export function namesConfig(words: readonly string[]): boolean {
  return words.some(word => word === '--config' || word.startsWith('--config='));
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise(resolve => {
    stream.write('', error => {
      if (!error) resolve();
    });
  });
}

function report(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
  const { message, remedy, code } = wrongCall(error) ?? explainError(error) ?? ownFault(error);
  const exitCode = exitCodeOfError(code);
  // Scripts read errors as one JSON form; people read the same text on stderr.
  if (process.argv.includes('--json')) outLine(jsonLine({ type: 'error', code, message, remedy, exitCode }));
  // Commander has printed the error already.
  if (error instanceof CommanderError) return exitCode;
  errorLine(`Error: ${message}`);
  if (remedy !== '') errorLine(remedy);
  return exitCode;
}

function wrongCall(error: unknown): SteersmanError | null {
  if (!(error instanceof CommanderError)) return null;
  return new SteersmanError(error.message.replace(/^error: /, ''), remedyOf(error), 'usage');
}

function ownFault(error: unknown): SteersmanError {
  const remedy = 'This is a fault of Steersman itself. Please report it with what you called.';
  return new SteersmanError(errorText(error), remedy, 'internal');
}
