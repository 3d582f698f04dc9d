/** What is in a folder, by ripgrep, which leaves out what git ignores: its search, and the files that lie there. */
import { spawn } from 'node:child_process';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { preview } from '../base/text/preview.js';

const TIME_LIMIT_MS = 10_000;
const MAX_STDERR_CHARS = 2_000;
/** Of one record; what is behind is dropped, and is not searched for its end again and again. */
const MAX_RECORD_CHARS = 16_384;
/** It keeps a whole line, also of a file that says what is ignored; and where that is a link, it may lead anywhere. */
const MAX_MEMORY_KB = 1 << 20;

interface Search {
  args: readonly string[];
  /** By which the system reaches the folder. */
  cwd: string;
  /** A file that is searched in place of the folder. */
  stdin?: number;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** What ends a record of its output. Default: a newline. */
  delimiter?: string;
  /** Takes each record; false when no more are wanted. */
  take(record: string): boolean;
}

export interface Searched {
  /** It was ended before it had searched everything. */
  cut: 'enough' | 'time' | null;
  /** What it says it could not do; empty where it could do all. */
  fault: string;
}

/** No messages of files that say what is ignored: they quote lines of them, and one may be a link out of here. */
const ALWAYS = [
  ...['--no-config', '--no-require-git', '--no-ignore-dot', '--no-ignore-messages'],
  ...['--no-mmap', '--hidden', '--color=never'],
];
/** After the globs of a caller, which would bring it back. */
const NEVER = ['--glob=!.git'];

const PIPE = 'a .gitignore, here or in a folder above, is a pipe: nothing is found until it is deleted';

/** ripgrep would wait for who writes into it. One further below costs the time limit. */
async function waitsForPipe(cwd: string): Promise<boolean> {
  for (let at = await realpath(cwd); ; at = dirname(at)) {
    const stats = await stat(join(at, '.gitignore')).catch(() => null);
    if (stats?.isFIFO()) return true;
    if (at === dirname(at)) return false;
  }
}

/** Not every system has this limit. */
const LIMITED = `ulimit -v ${MAX_MEMORY_KB} 2>/dev/null; exec "$0" "$@"`;

/** @throws Error where ripgrep can't be started, or the caller gave up. */
export async function search({
  args,
  cwd,
  stdin,
  signal,
  timeoutMs = TIME_LIMIT_MS,
  delimiter = '\n',
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
  const giveUp = () => end('enough');
  const timer = setTimeout(() => end('time'), timeoutMs);
  signal?.addEventListener('abort', giveUp);
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', error => reject(new Error(`The search can not be started: ${error.message}`)));
    child.on('close', () => resolve());
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (fault.length < MAX_STDERR_CHARS) fault += text;
  });
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
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
    signal?.removeEventListener('abort', giveUp);
  }
  signal?.throwIfAborted();
  return { cut, fault: cut === null ? preview(fault.trim(), 500) : '' };
}

function splitAt<T>(list: readonly T[], index: number): [T[], T[]] {
  return index < 0 ? [[...list], []] : [list.slice(0, index), list.slice(index)];
}

/** Without paths of the host. */
export function faultText(fault: string): string {
  return fault.replace(/\/proc\/\d+\/fd\/\d+/g, '.');
}

export interface FoundFile {
  /** From the workspace on. */
  path: string;
  bytes: number;
  changedAt: number;
}

const MOST_FILES = 20_000;
const MOST_MS = 5_000;
const NAMES = ['--files', '--null', '--no-hidden', '--no-messages'];
const AT_ONCE = 64;

/** As many as are found in a few seconds, without hidden ones. */
export async function filesIn(workspace: string): Promise<{ files: FoundFile[]; isCut: boolean }> {
  const names: string[] = [];
  const { cut, fault } = await search({
    args: NAMES,
    cwd: workspace,
    timeoutMs: MOST_MS,
    delimiter: '\0',
    take: name => names.push(name) < MOST_FILES,
  });
  names.sort();
  const files: FoundFile[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const found = names.slice(from, from + AT_ONCE).map(async path => {
      // One that is gone meanwhile is none.
      const stat = await lstat(join(workspace, path)).catch(() => null);
      return stat?.isFile() ? [{ path, bytes: stat.size, changedAt: stat.mtimeMs }] : [];
    });
    files.push(...(await Promise.all(found)).flat());
  }
  return { files, isCut: cut !== null || fault !== '' };
}
