/** The background workers of a stack: children of its owner, each with its own task queue. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { errorText } from 'steersman/base';
import {
  errorOf,
  newQueue,
  noteQueue,
  type OwnerMessage,
  removeFile,
  type StackState,
  type StartReport,
  type WorkerAnswer,
  type WorkerRequest,
} from 'steersman/shared';
import { endChild, hasEnded, startError, withLog } from './dev-server.js';

/** A process that is connected to the owner. */
export interface Guest {
  socket: Socket;
  tell(said: OwnerMessage): void;
}

interface Owned {
  taskQueue: string;
  request: WorkerRequest;
  child: ChildProcess;
  /** Rejects with the worker's own reason when it can't start. */
  ready: Promise<void>;
  users: Set<Guest>;
  /** Number of workers of this queue that died while they were used. */
  deaths: number;
  usedAt: number;
  /** Set when the worker was told to end; resolves when it has ended. */
  ended?: Promise<void>;
}

const START_LIMIT_MS = 60_000;
/** Worker shutdown lets tools finish for 30 s. */
const WORKER_GRACE_MS = 35_000;
/** A worker is replaced at most this often: it would die again. */
const MOST_REPLACEMENTS = 3;
const KEEP_LOGS = 20;

export class WorkerPool {
  readonly #home: string;
  readonly #workers = new Map<string, Owned>();

  constructor(home: string) {
    this.#home = home;
  }

  get state(): StackState['workers'] {
    return [...this.#workers.values()].map(({ taskQueue, child, users }) => ({
      taskQueue,
      pid: child.pid ?? 0,
      clients: users.size,
    }));
  }

  /** Returns the fitting worker: a running one, else a new one. `guest` counts as its user while it is connected. */
  async give(request: WorkerRequest, address: string, guest: Guest): Promise<WorkerAnswer> {
    const running = this.#fitting(request);
    if (running?.ended) {
      await running.ended;
      return this.give(request, address, guest);
    }
    const taskQueue = running?.taskQueue ?? request.taskQueue ?? newQueue(request.fingerprint);
    if (running === undefined) guest.tell({ line: 'Starting a worker …' });
    const worker = running ?? this.#start(taskQueue, request, address);
    worker.users.add(guest);
    await worker.ready.finally(() => guest.socket.destroyed && worker.users.delete(guest));
    return { taskQueue, logFile: this.#log(taskQueue), startedHere: running === undefined };
  }

  release(guest: Guest): void {
    for (const { users } of this.#workers.values()) users.delete(guest);
  }

  /** Ends workers that had no users, and were needed by no open run, for `idleMs`. */
  async endIdle(idleMs: number, isNeeded: (taskQueue: string) => Promise<boolean>): Promise<void> {
    for (const worker of this.#workers.values()) {
      const isUsed = worker.users.size > 0 || (await isNeeded(worker.taskQueue)) || worker.users.size > 0;
      if (isUsed) worker.usedAt = performance.now();
      else if (performance.now() - worker.usedAt >= idleMs) void end(worker);
    }
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#workers.values()].map(end));
  }

  #fitting({ taskQueue, fingerprint }: WorkerRequest): Owned | undefined {
    if (taskQueue !== null) return this.#workers.get(taskQueue);
    const isSame = ({ request, ended }: Owned) => request.fingerprint === fingerprint && !ended;
    return [...this.#workers.values()].find(isSame);
  }

  #log(taskQueue: string): string {
    return join(this.#home, `worker-${taskQueue}.log`);
  }

  #start(
    taskQueue: string,
    request: WorkerRequest,
    address: string,
    deaths = 0,
    users = new Set<Guest>(),
  ): Owned {
    this.#removeOldLogs();
    if (request.folder !== null) noteQueue(this.#home, taskQueue, request.folder);
    const temporal = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'default' };
    const own = { STEERSMAN_TASK_QUEUE: taskQueue, STEERSMAN_HOME: this.#home };
    const env = { ...request.env, ...temporal, ...own };
    const { program, args, cwd } = request;
    const child = withLog(this.#log(taskQueue), log =>
      spawn(program, args, { cwd, env, stdio: ['ignore', log, log, 'ipc'] }),
    );
    const ready = untilReady(child, this.#log(taskQueue));
    const worker = { taskQueue, request, child, ready, users, deaths, usedAt: performance.now() };
    this.#workers.set(taskQueue, worker);
    void this.#watch(worker, address);
    return worker;
  }

  /** Replaces a worker that dies while it is used. Runs of an unused worker wait until somebody resumes them. */
  async #watch(worker: Owned, address: string): Promise<void> {
    const { taskQueue, request, child, users } = worker;
    const wasReady = await worker.ready.then(() => true).catch(() => false);
    if (!hasEnded(child)) await once(child, 'exit');
    this.#workers.delete(taskQueue);
    if (!wasReady || worker.ended || users.size === 0) return;
    const tell = (line: string) => {
      for (const user of users) user.tell({ line });
    };
    const deaths = worker.deaths + 1;
    const rest = `${request.remedy} Its log: ${this.#log(taskQueue)}.`;
    if (deaths > MOST_REPLACEMENTS) return tell(`The worker has died ${deaths} times. ${rest}`);
    tell('The worker of this run has died. Another is started and goes on where it was.');
    await this.#start(taskQueue, request, address, deaths, users).ready.catch(error =>
      tell(`No other worker could be started: ${errorText(error)} ${rest}`),
    );
  }

  #removeOldLogs(): void {
    const logs = readdirSync(this.#home)
      .filter(name => /^worker-.*\.log$/.test(name) && !this.#workers.has(name.slice(7, -4)))
      .map(name => join(this.#home, name))
      .sort((left, right) => statSync(right).mtimeMs - statSync(left).mtimeMs);
    for (const path of logs.slice(KEEP_LOGS)) removeFile(path);
  }
}

/** Signals the worker only once, because a second signal ends it immediately. Later guests get another worker. */
function end(worker: Owned): Promise<void> {
  worker.ended ??= endChild(worker.child, WORKER_GRACE_MS);
  return worker.ended;
}

async function untilReady(child: ChildProcess, log: string): Promise<void> {
  const hard = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const report = new Promise<StartReport>(resolve =>
    child.on('message', said => resolve(said as StartReport)),
  );
  const gone = once(child, 'exit').then(() => 'ended while starting', errorText);
  try {
    const first = await Promise.race([report, gone]);
    if (typeof first === 'object' && 'ready' in first) return;
    const why = await gone;
    if (typeof first === 'object') throw errorOf(first.failure);
    throw startError(
      `The worker ${child.killed ? `is not ready after ${START_LIMIT_MS / 1000} s` : why}`,
      log,
    );
  } finally {
    clearTimeout(hard);
  }
}
