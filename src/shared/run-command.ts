/**
 * Runs one command line with limits for time and output. All processes that it started end with it: when it exits, at
 * the deadline, at an abort, and also if this process is killed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../base/text/error-text.js';
import { env as variables } from './process/env.js';
import { terminalText } from './process/terminal-text.js';
import { onAbort } from './waits.js';

export interface CommandEnd {
  ended: 'exited' | 'timed_out' | 'cancelled' | 'not_started';
  /** Null if a signal ended it, or if it did not end by itself. */
  exitCode: number | null;
  signal: string | null;
  /** Its stdout and stderr, in order of arrival, at most `maxBytes`. */
  output: string;
  /** The number of bytes that it wrote. */
  bytes: number;
  /** True if the output only has a head and a tail, with a note about the missing part. */
  cut: boolean;
  durationMs: number;
  /** The reason for `not_started`; otherwise null. */
  why: string | null;
  /** Names of programs that it left running when it exited, and that were ended; only known on Linux. */
  left: string[];
}

export interface CommandInput {
  /** A command line for `commandShell()`. */
  command: string;
  cwd: string;
  /** Default: `commandEnv()`. */
  env?: NodeJS.ProcessEnv;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
  /** Removes secrets from a piece of the output, before it is cut. Default: no secrets are known. */
  clean?: (piece: string) => string;
  /** Called with each piece of output; gets the number of bytes so far. */
  onOutput?: (bytes: number) => void;
}

/** Variables that programs need and that hold no key. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME|JAVA_HOME|GOPATH|CARGO_HOME|RUSTUP_HOME|NVM_DIR|PYENV_ROOT|VIRTUAL_ENV|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/;
/** Settings for a command without a person to answer and without a terminal. */
const UNATTENDED = {
  CI: '1',
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/** Returns this process's environment without its keys: only the variables on a list. */
export function commandEnv(): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(variables.all()).filter(([name]) => PASSED_ON.test(name))),
    ...UNATTENDED,
  };
}

export interface CommandShell {
  /** The shell's arguments; the command line is appended. */
  argv: readonly string[];
  name: string;
  /** True if a pipe fails when any of its commands fails. */
  pipefail: boolean;
}

const WITH_PIPEFAIL = ['bash', '/bin/sh'];
let shell: CommandShell | null = null;

/** Returns bash, or another shell that supports `pipefail`; without it a pipe's exit code is that of its last command. */
export function commandShell(): CommandShell {
  shell ??= foundShell();
  return shell;
}

function foundShell(): CommandShell {
  for (const name of WITH_PIPEFAIL) {
    const argv = [name, '-o', 'pipefail', '-c'];
    const [program = '', ...args] = [...argv, ':'];
    const options = { env: commandEnv(), stdio: 'ignore', timeout: 5_000 } as const;
    if (spawnSync(program, args, options).status === 0) return { argv, name, pipefail: true };
  }
  return { argv: ['/bin/sh', '-c'], name: '/bin/sh', pipefail: false };
}

/** Marks the environment of a command, so that processes that leave its group can be found. */
const MARK = 'STEERSMAN_COMMAND';
const ON_LINUX = process.platform === 'linux';

/**
 * Starts the command with a watcher in the background that is not its child. When this process is gone, the pipe
 * closes, and the watcher kills the marked processes and the group, including itself. `$0` is the mark.
 */
const WATCHED = `((trap '' HUP INT TERM; cat <&3
for file in $(grep -ls "$0" /proc/[0-9]*/environ); do file=\${file#/proc/}; kill -9 "\${file%/environ}"; done
kill -9 0) </dev/null >/dev/null 2>&1 &)
exec 3<&-
exec "$@"`;

/** Precedes a command. Its shells discard their own messages; only the command has an error output. */
const PLAIN = ['/bin/sh', '-c', 'exec "$@" 2>&1 4>&-', 'sh'];
/**
 * Runs the command in its own PID namespace: when its first process ends, all processes in it end. Without root this
 * would also change file ownership.
 */
const UNSHARE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** Runs the command, then writes the names of processes that it left running to descriptor 4. Zombies have ended. */
const FIRST = `(exec "$@" 2>&1 4>&-); code=$?
for of in /proc/[0-9]*; do
  [ "$of" != /proc/1 ] && read -r stat <"$of/stat" && read -r name <"$of/comm" || continue
  case $stat in *') Z '*) ;; *) echo "$name" >&4 ;; esac
done
exit $code`;
const OWN_PROCESSES = [...UNSHARE, '/bin/sh', '-c', FIRST, 'sh'];
let before: Promise<readonly string[]> | null = null;

async function allowed(): Promise<readonly string[]> {
  if (!ON_LINUX || process.getuid?.() !== 0) return PLAIN;
  const probe = spawn('/usr/bin/env', [...OWN_PROCESSES, 'true'], { stdio: 'ignore', timeout: 2_000 });
  const [code] = await once(probe, 'exit').catch(() => [1]);
  return code === 0 ? OWN_PROCESSES : PLAIN;
}

/** The time from SIGTERM to SIGKILL, and from there until waiting ends. */
const GRACE_MS = 1_000;
/** How long to read the rest of the pipe after the end; a process that could not be killed may hold it open. */
const DRAIN_MS = 200;

export async function runCommand(given: CommandInput): Promise<CommandEnd> {
  const startedAt = performance.now();
  const output = new Output(given);
  const end = (ended: CommandEnd['ended'], more: Partial<CommandEnd> = {}): CommandEnd => ({
    ended,
    exitCode: null,
    signal: null,
    ...output.told(),
    durationMs: Math.round(performance.now() - startedAt),
    why: null,
    left: [],
    ...more,
  });
  if (given.signal?.aborted) return end('cancelled');
  const mark = `${MARK}=${randomUUID()}`;
  const child = await started(given, mark);
  if (typeof child === 'string') return end('not_started', { why: child });
  const stdout = child.stdout as Readable;
  const drained = new Promise<void>(resolve => stdout.once('close', resolve).once('error', () => resolve()));
  output.read(stdout, given.onOutput);
  const exited = exitOf(child);
  const leftRunning = namesFrom(child.stdio[4] as Readable);
  const ended = await firstOf(exited, given);
  if (ended !== 'exited') {
    signalGroup(child, 'SIGTERM');
    await Promise.race([exited, sleep(GRACE_MS)]);
  }
  const alive = ended === 'exited' ? await namesOf(await marked(mark)) : [];
  await endAll(child, mark);
  await Promise.race([exited.then(() => drained), sleep(ended === 'exited' ? DRAIN_MS : GRACE_MS)]);
  for (const stream of child.stdio) stream?.destroy();
  if (ended !== 'exited') return end(ended);
  const left = [...leftRunning(), ...alive].filter(name => PLAIN_NAME.test(name));
  return end(ended, { ...(await exited), left: [...new Set(left)] });
}

/** Returns the child, or the reason why it could not be started. */
async function started({ command, cwd, env = commandEnv() }: CommandInput, mark: string) {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return `its folder ${cwd} does not exist`;
  before ??= allowed();
  const line = [...(await before), '/usr/bin/env', mark, ...commandShell().argv, command];
  try {
    const child = spawn('/bin/sh', ['-c', WATCHED, mark, ...line], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    child.stdio[3]?.on('error', () => {});
    await once(child, 'spawn');
    return child;
  } catch (error) {
    return errorText(error);
  }
}

function exitOf(child: ChildProcess): Promise<Pick<CommandEnd, 'exitCode' | 'signal'>> {
  return new Promise(resolve => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })));
}

/** `exit` instead of `close`: children may hold the pipe longer, and a command may close its output and continue. */
function firstOf(
  exited: Promise<unknown>,
  { timeoutMs, signal }: CommandInput,
): Promise<CommandEnd['ended']> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve('timed_out'), timeoutMs);
    const release = onAbort(signal, () => resolve('cancelled'));
    void exited.then(() => {
      clearTimeout(timer);
      release();
      resolve('exited');
    });
  });
}

/** Kills the group and the processes that left it, repeatedly until none is left, because one may fork in between. */
async function endAll(child: ChildProcess, mark: string): Promise<void> {
  signalGroup(child, 'SIGKILL');
  const until = performance.now() + GRACE_MS;
  while (performance.now() < until) {
    const left = await marked(mark);
    if (left.length === 0) return;
    for (const pid of left) kill(pid, 'SIGKILL');
    await sleep(10);
  }
}

async function marked(mark: string): Promise<number[]> {
  if (!ON_LINUX) return [];
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async pid => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(mark) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** A model sees the name next to the run's own words. */
const PLAIN_NAME = /^[\w.+-]{1,15}$/;
const MOST_NAMES_CHARS = 4_096;

/** Collects the lines of a pipe. */
function namesFrom(pipe: Readable): () => string[] {
  let text = '';
  pipe
    .on('error', () => {})
    .on('data', (chunk: Buffer) => {
      text = (text + chunk.toString('latin1')).slice(0, MOST_NAMES_CHARS);
    });
  return () => text.split('\n');
}

async function namesOf(pids: readonly number[]): Promise<string[]> {
  const read = (pid: number, file: string) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
  const named = pids.map(async pid => ((await read(pid, 'stat')).includes(') Z ') ? '' : read(pid, 'comm')));
  return (await Promise.all(named)).map(name => name.trim());
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) kill(-pid, signal);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** Output is read at this rate at most: a flooding command has to wait, and this process has time for other work. */
const READ_BYTES = 1 << 20;
const READ_EVERY_MS = 50;
/** The head's share of the shown output; it is small because the reason of a failure is mostly at the end. */
const HEAD_PART = 1 / 3;

/** Stores the first and the last bytes of an output: twice as many as are shown, because control sequences are removed. */
class Output {
  readonly #head: Buffer;
  readonly #ring: Buffer;
  readonly #clean: (piece: string) => string;
  #bytes = 0;

  constructor({ maxBytes, clean = piece => piece }: Pick<CommandInput, 'maxBytes' | 'clean'>) {
    this.#clean = clean;
    this.#head = Buffer.alloc(maxBytes);
    this.#ring = Buffer.alloc(maxBytes);
  }

  read(from: Readable, onOutput: CommandInput['onOutput']): void {
    let room = READ_BYTES;
    from.on('error', () => {});
    from.on('data', (chunk: Buffer) => {
      this.#keep(chunk);
      onOutput?.(this.#bytes);
      room -= chunk.length;
      if (room > 0) return;
      room = READ_BYTES;
      from.pause();
      setTimeout(() => from.resume(), READ_EVERY_MS);
    });
  }

  #keep(chunk: Buffer): void {
    const inHead = this.#bytes < this.#head.length ? chunk.copy(this.#head, this.#bytes) : 0;
    this.#bytes += inHead;
    const rest = chunk.subarray(inHead);
    const size = this.#ring.length;
    const last = rest.subarray(Math.max(0, rest.length - size));
    const at = (this.#bytes + rest.length - last.length) % size;
    last.copy(this.#ring, 0, last.copy(this.#ring, at));
    this.#bytes += rest.length;
  }

  told(): Pick<CommandEnd, 'output' | 'bytes' | 'cut'> {
    const bytes = this.#bytes;
    const size = this.#ring.length;
    const head = this.#head.subarray(0, bytes);
    const tail = this.#fromRing(Math.min(size, Math.max(0, bytes - size)));
    const text = (part: Buffer) => this.#clean(plainText(part));
    if (bytes > 2 * size) return { output: this.#headAndTail(text(head), text(tail)), bytes, cut: true };
    const whole = text(Buffer.concat([head, tail]));
    if (Buffer.byteLength(whole) <= size) return { output: whole, bytes, cut: false };
    return { output: this.#headAndTail(whole, whole), bytes, cut: true };
  }

  /** Returns the last bytes in their order. */
  #fromRing(count: number): Buffer {
    const size = this.#ring.length;
    const from = (this.#bytes - count) % size;
    return Buffer.concat([this.#ring.subarray(from), this.#ring.subarray(0, from)]).subarray(0, count);
  }

  #headAndTail(first: string, last: string): string {
    const mark = `[… cut: the command wrote ${this.#bytes} bytes …]`;
    const room = Math.max(0, this.#ring.length - Buffer.byteLength(mark) - 2);
    const headBytes = Math.floor(room * HEAD_PART);
    const head = wholeChars(Buffer.from(first).subarray(0, headBytes));
    const tail = wholeChars(Buffer.from(last).subarray(-Math.max(1, room - headBytes)));
    return `${head.replace(PARTIAL_END, '')}\n${mark}\n${tail.replace(PARTIAL_START, '')}`;
  }
}

/** Partial lines at a cut; a text of a single line is left unchanged. */
const PARTIAL_END = /\n[^\n]+$/;
const PARTIAL_START = /^[^\n]+\n(?=[^\n])/;

/** Removes partial characters at both ends. */
function wholeChars(bytes: Buffer): string {
  return bytes.toString().replace(/^\ufffd{1,3}|\ufffd{1,3}$/g, '');
}

/**
 * Converts bytes to text: invalid bytes become one character each, control sequences are removed, and of a line that
 * was redrawn only the last version remains.
 */
function plainText(bytes: Buffer): string {
  const lines = bytes
    .toString()
    .split('\n')
    .map(line => {
      const drawn = line.endsWith('\r') ? line.slice(0, -1) : line;
      return drawn.slice(drawn.lastIndexOf('\r') + 1);
    });
  return terminalText(lines.join('\n'));
}
