/** How commands are called in this installation; all hints take their wording from here. */
import { basename, sep } from 'node:path';
import { realOrSame } from './below.js';
import { builtScript, isCheckout, projectRoot } from './package.js';

/** Names under which the `bin` runs: npm's link, its script, and the worker that these start. */
const BIN_NAMES = ['steersman', 'cli.js', 'bin-worker.js'];

/**
 * True if the commands are npm scripts, as in a checkout, whose own configuration then applies. The `bin`, and a
 * program elsewhere, use a linked checkout like an installed package (WB6).
 */
export const byNpm = isCheckout && isOwnScript(process.argv[1], projectRoot);

/** True if this is a script of the checkout at `root`, except its `bin`. */
export function isOwnScript(script: string | undefined, root: string): boolean {
  if (script === undefined || BIN_NAMES.includes(basename(script))) return false;
  return realOrSame(script).startsWith(realOrSame(root) + sep);
}

/** The script of a background worker, which is then called like this process. */
export const WORKER_SCRIPT = builtScript(byNpm ? 'worker.js' : 'bin-worker.js');

/** Returns a verb's command: `steersman show my-run`, or `npm run client -- show my-run`. */
export function verbCall(words: string): string {
  return byNpm ? `npm run client -- ${words}` : `steersman ${words}`;
}

/** Like `verbCall`, for a command whose stdout is read by another program. */
export function quietVerbCall(words: string): string {
  return byNpm ? `npm run --silent client -- ${words}` : `steersman ${words}`;
}

/** Returns the command that runs a goal: `steersman "…"`, or `npm start -- "…"`. */
export function startCall(words: string): string {
  return byNpm ? `npm start -- ${words}` : `steersman ${words}`;
}

/** Like `startCall`, for a command whose stdout is read by another program. */
export function quietStartCall(words: string): string {
  return byNpm ? `npm --silent start -- ${words}` : `steersman ${words}`;
}

/** True if hints are for a person at the command line, false if they are for the author of a program. */
let atTerminal = false;

/** Makes hints name commands; the command line calls it. */
export function hintCommands(): void {
  atTerminal = true;
}

/** Returns the advice for the reader of an error: a command, or a call of the library. */
export function hintOf(command: string, call: string): string {
  return atTerminal ? command : call;
}

/** Returns the command of a script: `steersman dev --stop`, `npm run worker -- --config …`. */
export function scriptCall(script: 'dev' | 'worker', words = ''): string {
  const rest = words === '' ? '' : ` ${words}`;
  return byNpm ? `npm run ${script}${rest && ` --${rest}`}` : `steersman ${script}${rest}`;
}

export function shellWord(text: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(text)) return text;
  return /["$`\\!\n]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

export const PROGRAM = {
  start: byNpm ? 'npm start --' : 'steersman',
  verbs: byNpm ? 'npm run client --' : 'steersman',
  dev: byNpm ? 'npm run dev --' : 'steersman dev',
  worker: byNpm ? 'npm run worker --' : 'steersman worker',
} as const;

export const REBUILD = byNpm ? 'Run "npm run build".' : 'Install the package again.';
