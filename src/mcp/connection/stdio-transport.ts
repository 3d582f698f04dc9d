/**
 * MCP over stdin and stdout of a server in its own process group. Ctrl-C in the worker's terminal therefore only
 * reaches the worker, which lets running calls finish before it closes the servers.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { exactText, isRecord, parseJson } from '../../base/json/json.js';
import { within } from '../../shared/waits.js';
import { NotBegunError } from './call-failure.js';
import type { ResolvedStdioServer } from './resolve-server.js';

const STDERR_TAIL_CHARS = 4_096;
/** A single message larger than this closes the connection. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** How long a server gets to end after its stdin closed, and again after SIGTERM. */
const CLOSE_GRACE_MS = 2_000;
const LOOK_AGAIN_MS = 20;
const NEWLINE = 10;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;

  readonly #server: ResolvedStdioServer;
  #child: ChildProcessWithoutNullStreams | null = null;
  #exited: Promise<void> = Promise.resolve();
  #groupEnded: Promise<void> = Promise.resolve();
  #closed = false;
  #chunks: Buffer[] = [];
  #pendingBytes = 0;
  #stderr = '';
  #ending = '';

  constructor(server: ResolvedStdioServer) {
    this.#server = server;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** How the process ended, such as `exited with code 1`; empty while it runs. */
  get ending(): string {
    return this.#ending;
  }

  get stderrTail(): string {
    return this.#stderr.trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#server;
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`its folder ${cwd} does not exist`);
    }
    const child = spawn(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    this.#child = child;
    this.#listen(child);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', error => reject(new Error(describeSpawnError(error))));
    });
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    this.#exited = new Promise(resolve => {
      // `exit` is used instead of `close`, because a grandchild that keeps the pipes open must not hide the server's
      // end.
      child.once('exit', (code, signal) => {
        this.#ending = signal ? `was killed by ${signal}` : `exited with code ${code}`;
        this.#groupEnded = endGroup(child);
        resolve();
        // The last output of the process is still in the pipes; one turn of the event loop delivers it.
        setImmediate(() => this.#finish());
      });
      child.once('error', () => {
        resolve();
        this.#finish();
      });
    });
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#keep(text));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', error => this.onerror?.(error));
    }
  }

  #keep(text: string): void {
    const all = this.#stderr + text;
    // The cut is moved to the next line or word, because half a secret would not be recognised.
    this.#stderr =
      all.length > STDERR_TAIL_CHARS ? all.slice(-STDERR_TAIL_CHARS).replace(/^(?:[^\n]*\n|\S*)/, '') : all;
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#chunks.push(chunk.subarray(from, at));
      this.#deliver(Buffer.concat(this.#chunks).toString('utf8'));
      this.#chunks = [];
      this.#pendingBytes = 0;
      from = at + 1;
    }
    if (from === chunk.length) return;
    this.#chunks.push(chunk.subarray(from));
    this.#pendingBytes += chunk.length - from;
    if (this.#pendingBytes > MAX_MESSAGE_BYTES) {
      this.#ending = `sent a message over ${MAX_MESSAGE_BYTES / 1024 / 1024} MB and was closed`;
      void this.close();
    }
  }

  #deliver(line: string): void {
    if (line.trim() === '') return;
    try {
      // Some servers begin their output with a byte order mark.
      this.onmessage?.(deserializeMessage(exactText(line.replace(/^\uFEFF/, ''))));
    } catch (error) {
      // The server logs to stdout. The line may explain why a connection fails.
      this.#keep(`${line.length > 500 ? line.slice(0, 500).replace(/\S*$/, '…') : line}\n`);
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      const id = answeredBy(line);
      if (id !== null) this.onmessage?.(unreadableAnswer(id));
    }
  }

  /** Rejects with NotBegunError if the message can't have reached the server completely. */
  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#closed || !stdin?.writable)
      return Promise.reject(new NotBegunError('not_written', 'the server is not running'));
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), error =>
        error ? reject(new NotBegunError('not_written', error.message)) : resolve(),
      );
    });
  }

  /** Closes stdin, then asks the server to end, then kills it, together with the processes that it leaves behind. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.stdin.end();
      if (!(await this.endsWithin(CLOSE_GRACE_MS))) {
        signalGroup(child, 'SIGTERM');
        if (!(await this.endsWithin(CLOSE_GRACE_MS))) signalGroup(child, 'SIGKILL');
      }
      await this.#exited;
    }
    await this.#groupEnded;
    this.#finish();
  }

  /** Resolves with true if the process ends within `ms` milliseconds. */
  endsWithin(ms: number): Promise<boolean> {
    return within(
      ms,
      this.#exited.then(() => true),
      false,
    );
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#chunks = [];
    this.onclose?.();
  }
}

/** Returns the id of the request that an invalid message answers, so that the request can fail; null without an id. */
function answeredBy(line: string): string | number | null {
  const value = parseJson(line);
  if (!isRecord(value) || 'method' in value) return null;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : null;
}

function unreadableAnswer(id: string | number): JSONRPCMessage {
  const message = 'the server answered in a form that is not a valid MCP message';
  return { jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message } };
}

/** Asks the processes that an ended server left behind to end, then kills them. */
async function endGroup(child: ChildProcessWithoutNullStreams): Promise<void> {
  const until = performance.now() + CLOSE_GRACE_MS;
  // The group's number is not reused while one of its processes exists.
  for (let signal: NodeJS.Signals | 0 = 'SIGTERM'; signalGroup(child, signal); signal = 0) {
    if (performance.now() > until) return void signalGroup(child, 'SIGKILL');
    await delay(LOOK_AGAIN_MS);
  }
}

/** Returns false if no process received the signal. */
function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals | 0): boolean {
  try {
    if (child.pid === undefined || process.platform === 'win32') return child.kill(signal);
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

function describeSpawnError(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'the command was not found';
  if (code === 'EACCES') return 'the command may not be executed';
  return error.message;
}
