/** Searches and lists a folder with ripgrep, which leaves out files that git ignores. */
import { spawn } from 'node:child_process';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { preview } from '../base/text/preview.js';
import { onAbort } from '../shared/waits.js';

const TIME_LIMIT_MS = 10_000;
const MAX_STDERR_CHARS = 2_000;
/** The limit for one record; further characters are dropped without being searched repeatedly. */
const MAX_RECORD_CHARS = 16_384;
/** ripgrep holds a whole line in memory, even of ignore files, and a link as such a file may lead anywhere. */
const MAX_MEMORY_KB = 1 << 20;

interface Search {
  args: readonly string[];
  /** The system's path of the folder. */
  cwd: string;
  /** A file to search instead of the folder. */
  stdin?: number;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** True: records have one character for each byte. Default: they are text in UTF-8. */
  asBytes?: boolean;
  /** The separator of output records. Default: a newline. */
  delimiter?: string;
  /** Gets each record; false ends the search. */
  take(record: string): boolean;
}

export interface Searched {
  /** The search was ended before it was complete. */
  cut: 'enough' | 'time' | null;
  /** ripgrep's message about what it could not do; '' without one. */
  fault: string;
}

/** Suppresses messages about ignore files: they quote lines, and such a file may be a link out of the folder. */
const ALWAYS = [
  ...['--no-config', '--no-require-git', '--no-ignore-dot', '--no-ignore-messages'],
  ...['--no-mmap', '--hidden', '--color=never'],
];
/** Placed after the caller's globs, which could include it again. */
const NEVER = ['--glob=!.git'];

const PIPE = 'a .gitignore, here or in a folder above, is a pipe: nothing is found until it is deleted';

/** ripgrep would wait for a writer of the pipe. A pipe deeper in the folder costs the time limit. */
async function waitsForPipe(cwd: string): Promise<boolean> {
  for (let at = await realpath(cwd); ; at = dirname(at)) {
    const stats = await stat(join(at, '.gitignore')).catch(() => null);
    if (stats?.isFIFO()) return true;
    if (at === dirname(at)) return false;
  }
}

/** Some systems lack this limit. */
const LIMITED = `ulimit -v ${MAX_MEMORY_KB} 2>/dev/null; exec "$0" "$@"`;

/** @throws Error if ripgrep can't be started, or the caller aborted. */
export async function search({
  args,
  cwd,
  stdin,
  signal,
  timeoutMs = TIME_LIMIT_MS,
  delimiter = '\n',
  asBytes = false,
  take,
}: Search): Promise<Searched> {
  if (!args.includes('--no-ignore') && (await waitsForPipe(cwd))) return { cut: null, fault: PIPE };
  const [own, operands] = splitAt(args, args.indexOf('--'));
  const line = [rgPath, ...ALWAYS, ...own, ...NEVER, ...operands];
  const child = spawn('/bin/sh', ['-c', LIMITED, ...line], {
    cwd,
    env: {},
    stdio: [stdin ?? 'ignore', 'pipe', 'pipe'],
  });
  let cut: Searched['cut'] = null;
  let fault = '';
  const end = (why: Searched['cut']) => {
    cut ??= why;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => end('time'), timeoutMs);
  const release = onAbort(signal, () => end('enough'));
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', error => reject(new Error(`The search cannot be started: ${error.message}`)));
    child.on('close', () => resolve());
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (fault.length < MAX_STDERR_CHARS) fault += text;
  });
  let rest = '';
  child.stdout?.setEncoding(asBytes ? 'latin1' : 'utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split(delimiter);
    rest += first.slice(0, Math.max(0, MAX_RECORD_CHARS - rest.length));
    for (const next of others) {
      if (cut === null && !take(rest)) end('enough');
      rest = next.slice(0, MAX_RECORD_CHARS);
    }
  });
  try {
    await ended;
  } finally {
    clearTimeout(timer);
    release();
  }
  signal?.throwIfAborted();
  return { cut, fault: cut === null ? preview(fault.trim(), 500) : '' };
}

function splitAt<T>(list: readonly T[], index: number): [T[], T[]] {
  return index < 0 ? [[...list], []] : [list.slice(0, index), list.slice(index)];
}

/** Removes paths of the host. */
export function faultText(fault: string): string {
  return fault.replace(/\/proc\/\d+\/fd\/\d+/g, '.');
}

export interface FoundFile {
  /** Relative to the workspace. */
  path: string;
  bytes: number;
  changedAt: number;
}

const MOST_FILES = 20_000;
const MOST_MS = 5_000;
const NAMES = ['--files', '--null', '--no-hidden', '--no-messages'];
const AT_ONCE = 64;

/** Lists the files found in a few seconds, without hidden ones. */
export async function filesIn(workspace: string): Promise<{ files: FoundFile[]; isCut: boolean }> {
  const names: string[] = [];
  const { cut, fault } = await search({
    args: NAMES,
    cwd: workspace,
    timeoutMs: MOST_MS,
    delimiter: '\0',
    take: name => names.push(name) < MOST_FILES,
  });
  const files = await eachOf(names.sort(), async path => {
    // A file deleted meanwhile is left out.
    const stat = await lstat(join(workspace, path)).catch(() => null);
    return stat?.isFile() ? [{ path, bytes: stat.size, changedAt: stat.mtimeMs }] : [];
  });
  return { files: files.flat(), isCut: cut !== null || fault !== '' };
}

/** Calls `work` for each item, several at a time. */
export async function eachOf<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE)
    done.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(work))));
  return done;
}
