/** How commands are called from where this program stands: the one owner of these words in hints. */
import { realpathSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { builtScript, isCheckout, projectRoot } from './package.js';

/** Names of the `bin`: the link that npm makes, the script it is, and the worker that the two start. */
const BIN_NAMES = ['steersman', 'cli.js', 'bin-worker.js'];

/**
 * In a checkout the commands are npm scripts, and its own configuration holds. The `bin`, and a program elsewhere, use
 * a linked checkout as they use an installed package (WB6).
 */
export const byNpm = isCheckout && isOwnScript(process.argv[1], projectRoot);

/** Is this a script of the checkout at `root`, but not its `bin`? */
export function isOwnScript(script: string | undefined, root: string): boolean {
  if (script === undefined || BIN_NAMES.includes(basename(script))) return false;
  return real(script).startsWith(real(root) + sep);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The script of a background worker, which then is called as this process is. */
export const WORKER_SCRIPT = builtScript(byNpm ? 'worker.js' : 'bin-worker.js');

/** A verb with its arguments: `steersman show my-run`, or `npm run client -- show my-run`. */
export function verbCall(words: string): string {
  return byNpm ? `npm run client -- ${words}` : `steersman ${words}`;
}

/** As `verbCall`, where stdout is read by another program. */
export function quietVerbCall(words: string): string {
  return byNpm ? `npm run --silent client -- ${words}` : `steersman ${words}`;
}

/** The command that runs a goal: `steersman "…"`, or `npm start -- "…"`. */
export function startCall(words: string): string {
  return byNpm ? `npm start -- ${words}` : `steersman ${words}`;
}

/** As `startCall`, where stdout is read by another program. */
export function quietStartCall(words: string): string {
  return byNpm ? `npm --silent start -- ${words}` : `steersman ${words}`;
}

/** Whether hints are for a person at the command line, or for whoever writes a program with the library. */
let atTerminal = false;

/** From now on hints name commands: the command line says so. */
export function hintCommands(): void {
  atTerminal = true;
}

/** What to do about an error, by who reads it: a command, or what a program calls. */
export function hintOf(command: string, call: string): string {
  return atTerminal ? command : call;
}

/** `steersman dev --stop`, `npm run worker -- --config …` and so on. */
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
