/**
 * What the owner of a local stack is asked, a connection for each: it holds what it asked for until it closes, however
 * the process that asked ends. Messages are JSON, one a line.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { errorText } from '../../base/text/error-text.js';
import { scriptCall } from '../process/called-as.js';
import { type ErrorCode, SteersmanError } from '../process/errors.js';
import { isManagedQueue, type QueueFolder } from './queues.js';
import { dial, readRecord } from './seat.js';

/** Raise it with each change of a message: processes of two versions may meet. `stop` is understood by all. */
const PROTOCOL = 1;

export type Ask = { ask: 'server' | 'state' | 'stop' } | { ask: 'worker'; worker: WorkerRequest };

export interface WorkerRequest {
  /** See `projectFingerprint`: requests with equal ones share a worker. */
  fingerprint: string;
  /** A queue whose runs were left open; null for a new one, or that of a worker with this fingerprint. */
  taskQueue: string | null;
  program: string;
  args: string[];
  cwd: string;
  /** The whole environment, keys included: it goes through memory and this user's socket alone, never to a file. */
  env: Record<string, string>;
  folder: QueueFolder | null;
  /** For a person whose runs have lost their worker. */
  remedy: string;
}

export interface ServerAnswer {
  /** host:port of its gRPC service. */
  address: string;
  /** URL of the Web UI, at the owner's door. */
  webUi: string;
  pid: number;
  /** Process of the owner. */
  owner: number;
}

export interface WorkerAnswer {
  taskQueue: string;
  logFile: string;
  /** False when it ran already. */
  startedHere: boolean;
}

/** What runs for a home. */
export interface StackState {
  /** Of the owner. */
  pid: number;
  /** Null while it starts. */
  server: ServerAnswer | null;
  workers: { taskQueue: string; pid: number; clients: number }[];
  /** Who uses the server. */
  clients: number;
}

/** Once `value` or `failure`; before and after it lines for a person, and that somebody ends all of it. */
export type Said = { value: unknown } | { failure: Failure } | { line: string } | { stopping: true };

export interface Failure {
  message: string;
  remedy: string;
  code: ErrorCode;
}

export function failureOf(error: unknown): Failure {
  const { remedy, code } = error instanceof SteersmanError ? error : new SteersmanError('', '', 'internal');
  return { message: errorText(error), remedy, code };
}

export function errorOf({ message, remedy, code }: Failure): SteersmanError {
  return new SteersmanError(message, remedy, code);
}

/** What was asked for, and is held. */
export interface Held<T> {
  value: T;
  /** Resolves when the owner has ended, or after `close`. */
  closed: Promise<unknown>;
  close(): void;
}

/** Asks the owner of a home; null where there is none, or it is about to end. Throws the owner's own SteersmanError. */
export async function ask<T>(
  home: string,
  question: Ask,
  limitMs: number,
  tell: (said: Said) => void = () => {},
): Promise<Held<T> | null> {
  const socket = await dial(home);
  if (socket === null) return null;
  const closed = once(socket, 'close').catch(() => {});
  let limit: NodeJS.Timeout | undefined;
  const answer = new Promise<T | null>((resolve, reject) => {
    receive(socket, (said: Said) => {
      if ('value' in said) resolve(said.value as T);
      else if ('failure' in said) reject(errorOf(said.failure));
      else tell(said);
    });
    void closed.then(() => resolve(null));
    limit = setTimeout(() => reject(hangs(home)), limitMs);
  });
  send(socket, { protocol: PROTOCOL, ...question });
  try {
    const value = await answer;
    // Who holds something may end all the same.
    socket.unref();
    return value === null ? null : { value, closed, close: () => socket.destroy() };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

/** At the owner's side: throws where this is a question of another version. */
export function understood(question: Ask & { protocol?: number }): Ask {
  if (question.protocol === PROTOCOL || question.ask === 'stop') return question;
  throw new SteersmanError(
    'The local stack that runs is of another version of Steersman.',
    `End it first, with: ${scriptCall('dev', '--stop')}. Its runs stay, and can be gone on with.`,
    'host',
  );
}

export function send(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Gives each message; what is none ends the connection. */
export function receive<T>(socket: Socket, take: (message: T) => void): void {
  let rest = '';
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    try {
      for (const line of lines) take(JSON.parse(line));
    } catch {
      socket.destroy();
    }
  });
}

function hangs(home: string): SteersmanError {
  const pid = readRecord(home)?.pid ?? '?';
  return new SteersmanError(
    `The local stack (process ${pid}) does not answer.`,
    `If it hangs, end it: kill -9 ${pid}. Nothing that ran is lost.`,
    'host',
  );
}

// A background worker, a child of the owner, tells it one of these.

export type Told = { ready: true } | { failure: Failure };

/** Whether the owner of a local stack has started this process: the name of its queue alone does not say so. */
export function isOwned(taskQueue: string): boolean {
  return isManagedQueue(taskQueue) && process.send !== undefined;
}

/** It polls: the terminal that waits for it goes on. */
export function announceWorker(): void {
  tellOwner({ ready: true });
}

/** It can't start: the terminal that waits for it shows this error as its own. */
export function reportWorkerFailure(error: unknown): void {
  tellOwner({ failure: failureOf(error) });
}

/** Whoever owns it is gone, and with it whoever could ask it to end. */
export function whenOwnerIsGone(end: () => void): void {
  process.once('disconnect', end);
  // To listen keeps no worker alive that has done its work.
  process.channel?.unref();
  if (!process.connected) end();
}

function tellOwner(told: Told): void {
  // An owner that has gone meanwhile needs to know nothing.
  if (process.connected) process.send?.(told, undefined, undefined, () => {});
}

/** What a background worker is started with. */
export interface WorkerSettings {
  /** See `projectFingerprint`. */
  fingerprint: string;
  /** Arguments of the worker's script, such as `['--config', dir]`. */
  args?: string[];
  /** Default: this process's working folder. */
  cwd?: string;
  /** Whose configuration it is; kept for runs that are left open. */
  folder?: QueueFolder;
  /** Another folder than this process uses; the worker reads its variables itself. */
  ofOther?: boolean;
  /** Default: the worker of the build. */
  script?: string;
}
