/**
 * The protocol for requests to the owner of a local stack. Each request has its own connection. The owner keeps what was
 * asked for until that connection closes, so also if the asking process is killed. Messages are JSON, one per line.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { errorText } from '../../base/text/error-text.js';
import { scriptCall } from '../process/called-as.js';
import { type ErrorCode, SteersmanError } from '../process/errors.js';
import { dial, readRecord } from './owner-socket.js';
import { isManagedQueue, type QueueFolder } from './queues.js';

/** Increase it with each change of a message, because processes of two versions may meet. Every version understands `stop`. */
const PROTOCOL = 1;

export type Ask = { ask: 'server' | 'state' | 'stop' } | { ask: 'worker'; worker: WorkerRequest };

export interface WorkerRequest {
  /** See `projectFingerprint`; requests with the same fingerprint share a worker. */
  fingerprint: string;
  /** A queue whose runs were left open. Null means a new queue, or the queue of a worker with this fingerprint. */
  taskQueue: string | null;
  program: string;
  args: string[];
  cwd: string;
  /** The whole environment, including keys. It only passes through memory and this user's socket, never through a file. */
  env: Record<string, string>;
  folder: QueueFolder | null;
  /** Advice for a person whose runs have lost their worker. */
  remedy: string;
}

export interface ServerAnswer {
  /** host:port of its gRPC service. */
  address: string;
  /** URL of the Web UI, through the owner's proxy, which refuses requests of foreign web pages. */
  webUi: string;
  pid: number;
  /** Process id of the owner. */
  owner: number;
}

export interface WorkerAnswer {
  taskQueue: string;
  logFile: string;
  /** False if the worker was already running. */
  startedHere: boolean;
}

/** The processes that run for a home. */
export interface StackState {
  /** Process id of the owner. */
  pid: number;
  /** Null while the server is starting. */
  server: ServerAnswer | null;
  workers: { taskQueue: string; pid: number; clients: number }[];
  /** The number of connections that use the server. */
  clients: number;
}

/**
 * A message from the owner: `value` or `failure` is sent once; lines for a person, and the notice that the stack is
 * being stopped, may come before and after.
 */
export type OwnerMessage = { value: unknown } | { failure: Failure } | { line: string } | { stopping: true };

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

/** A resource that was requested and is being held. */
export interface HeldResource<T> {
  value: T;
  /** Resolves when the owner has ended, or after `close`. */
  closed: Promise<unknown>;
  close(): void;
}

/** Sends a request to the owner of a home. Returns null if it has none or the owner is ending. Throws the owner's own error. */
export async function ask<T>(
  home: string,
  question: Ask,
  limitMs: number,
  tell: (said: OwnerMessage) => void = () => {},
): Promise<HeldResource<T> | null> {
  const socket = await dial(home);
  if (socket === null) return null;
  const closed = once(socket, 'close').catch(() => {});
  let limit: NodeJS.Timeout | undefined;
  const answer = new Promise<T | null>((resolve, reject) => {
    receive(socket, (message: OwnerMessage) => {
      if ('value' in message) resolve(message.value as T);
      else if ('failure' in message) reject(errorOf(message.failure));
      else tell(message);
    });
    void closed.then(() => resolve(null));
    limit = setTimeout(() => reject(hangs(home)), limitMs);
  });
  send(socket, { protocol: PROTOCOL, ...question });
  try {
    const value = await answer;
    // Holding a resource does not keep this process alive.
    socket.unref();
    return value === null ? null : { value, closed, close: () => socket.destroy() };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

/** Called by the owner: throws if the request has another protocol version. */
export function understood(question: Ask & { protocol?: number }): Ask {
  if (question.protocol === PROTOCOL || question.ask === 'stop') return question;
  throw new SteersmanError(
    'The local stack that runs belongs to another version of Steersman.',
    `End it first, with: ${scriptCall('dev', '--stop')}. Its runs stay, and can be resumed.`,
    'host',
  );
}

export function send(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Passes on each message; an invalid message closes the connection. */
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

// A message from a background worker to the owner, its parent.

export type StartReport = { ready: true } | { failure: Failure };

/** True if the owner of a local stack has started this process; the queue's name alone does not prove that. */
export function isOwned(taskQueue: string): boolean {
  return isManagedQueue(taskQueue) && process.send !== undefined;
}

/** Reports that the worker polls, so that the waiting terminal continues. */
export function announceWorker(): void {
  tellOwner({ ready: true });
}

/** Reports that the worker can't start; the waiting terminal shows this error as its own. */
export function reportWorkerFailure(error: unknown): void {
  tellOwner({ failure: failureOf(error) });
}

/** Calls `end` once the owner is gone, because no other process could ask this worker to end. */
export function whenOwnerIsGone(end: () => void): void {
  process.once('disconnect', end);
  // The open channel must not keep a finished worker alive.
  process.channel?.unref();
  if (!process.connected) end();
}

function tellOwner(report: StartReport): void {
  // An owner that is gone needs no message.
  if (process.connected) process.send?.(report, undefined, undefined, () => {});
}

/** The settings with which a background worker is started. */
export interface WorkerSettings {
  /** See `projectFingerprint`. */
  fingerprint: string;
  /** Arguments of the worker's script, such as `['--config', dir]`. */
  args?: string[];
  /** Default: this process's working folder. */
  cwd?: string;
  /** The configuration folder; it is stored for runs that are left open. */
  folder?: QueueFolder;
  /** True if the folder differs from this process's own; the worker then reads its variables itself. */
  ofOther?: boolean;
  /** Default: the worker of the build. */
  script?: string;
}
