/** The local stack from its users' side: they connect to its owner process, and the first user starts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from 'steersman/base';
import type { Report, WorkerSettings } from 'steersman/shared';
import {
  type Ask,
  ask,
  builtBeside,
  dial,
  env,
  type HeldResource,
  makeHome,
  REBUILD,
  type ServerAnswer,
  type StackState,
  SteersmanError,
  stackPaths,
  startCall,
  WORKER_SCRIPT,
  type WorkerAnswer,
  type WorkerRequest,
} from 'steersman/shared';
import { hasEnded, plainEnvironment, startError, withLog } from './dev-server.js';
import { temporalBinary } from './download/temporal-fetch.js';
import type { OwnerOptions } from './owner.js';

/** Server and workers stay this long while nothing uses them. */
const DEFAULT_IDLE_MS = 60_000;
const START_LIMIT_MS = 100_000;
const STATE_LIMIT_MS = 10_000;
/** Tools may take 30 s to finish, and the server needs some more. */
const STOP_LIMIT_MS = 60_000;
/** The stack is restarted at most this often under one terminal: it would die again. */
const MOST_RETURNS = 3;
const REMEDY = `Runs wait, nothing is lost: ${startCall('--resume-open')} goes on with them.`;

export interface EnsureServerOptions {
  /** Receives lines of progress: fetching, starting, waiting, and what follows when a worker or the stack dies. */
  report: Report;
  /** Default DEFAULT_IDLE_MS. It applies only to an owner that this process starts. */
  idleMs?: number;
}

/** The local stack, which this process uses until `release` or its own end. */
export class LocalStack {
  readonly home: string;
  readonly #options: EnsureServerOptions;
  readonly #workers = new Map<string, { request: WorkerRequest; held: HeldResource<WorkerAnswer> }>();
  #server: Promise<HeldResource<ServerAnswer>>;
  #answer: ServerAnswer | null = null;
  /** False if the stack already ran. */
  startedHere = false;
  /** True after a release, or a stop by another command: then nothing may be restarted. */
  #left = false;
  #deaths = 0;

  constructor(home: string, options: EnsureServerOptions) {
    this.home = home;
    this.#options = options;
    this.#server = this.#open();
  }

  /** host:port for clients and workers; the namespace is `default`. */
  get address(): string {
    return this.#answer?.address ?? '';
  }

  get webUi(): string {
    return this.#answer?.webUi ?? '';
  }

  /** Resolves when the server answers. */
  async opened(): Promise<this> {
    await this.#server;
    return this;
  }

  /**
   * Returns a background worker for these settings: the running one, else a new one with its own queue. With
   * `taskQueue`, whose runs were left open, a worker for that queue continues them; new runs of the same settings share
   * it. If the worker dies, another takes over its queue.
   * @throws SteersmanError with the worker's own reason if it can't start.
   */
  async worker(settings: WorkerSettings, taskQueue: string | null = null): Promise<WorkerAnswer> {
    await this.#server;
    return this.#hold(requestOf(settings, taskQueue));
  }

  /** Returns what runs now. */
  async state(): Promise<StackState> {
    await this.#server;
    const state = await stackState(this.home);
    if (state === null) throw hasGone();
    return state;
  }

  /** Returns the task queues of its background workers. */
  async queues(): Promise<string[]> {
    return (await this.state()).workers.map(({ taskQueue }) => taskQueue);
  }

  /** Releases the stack: it ends itself once it has no users. A process that exits need not call it. */
  release(): void {
    this.#left = true;
    for (const { held } of this.#workers.values()) held.close();
    this.#server.then(held => held.close()).catch(() => {});
  }

  /** Connects to the running owner, else starts one. Two concurrent callers get the same owner. */
  async #open(): Promise<HeldResource<ServerAnswer>> {
    let owner: ChildProcess | null = null;
    // The server may have to be fetched first, before the owner starts.
    let starts = false;
    const slow = setTimeout(
      () =>
        starts || this.#options.report('Another terminal starts or ends the local stack. Waiting for it.'),
      2_000,
    );
    try {
      for (const limit = performance.now() + START_LIMIT_MS; performance.now() < limit; await delay(50)) {
        const held = await this.#ask<ServerAnswer>({ ask: 'server' });
        if (held !== null) {
          this.#answer = held.value;
          this.startedHere = held.value.owner === owner?.pid;
          void held.closed.then(() => this.#comeBack(held.value));
          return held;
        }
        // An owner that exited cleanly had found another owner, which has ended since.
        if (owner === null || owner.exitCode === 0) {
          starts = true;
          owner = await startOwner(this.home, this.#options);
        } else if (hasEnded(owner)) throw ownerError(this.home, 'ended while starting');
      }
      throw ownerError(this.home, `is not ready after ${START_LIMIT_MS / 1000} s`);
    } finally {
      clearTimeout(slow);
    }
  }

  async #hold(request: WorkerRequest): Promise<WorkerAnswer> {
    const held = await this.#ask<WorkerAnswer>({ ask: 'worker', worker: request });
    if (held === null) throw hasGone();
    const { taskQueue } = held.value;
    this.#workers.get(taskQueue)?.held.close();
    this.#workers.set(taskQueue, { request: { ...request, taskQueue }, held });
    return held.value;
  }

  /** The owner and its children have died. Each user that notices this starts a new owner and the workers that it uses. */
  async #comeBack({ address }: ServerAnswer): Promise<void> {
    if (this.#left) return;
    const { report } = this.#options;
    this.#deaths += 1;
    if (this.#deaths > MOST_RETURNS)
      return report(`The local stack has died ${this.#deaths} times. ${REMEDY}`);
    report('The local stack has died. It is started again, and runs go on where they were.');
    this.#server = this.#open();
    try {
      await this.#server;
      if (this.address !== address) throw new Error(`its port was taken, and it is at ${this.address} now.`);
      for (const { request } of this.#workers.values()) await this.#hold(request);
    } catch (error) {
      report(`The local stack could not be started as it was: ${errorText(error)} ${REMEDY}`);
    }
  }

  #ask<T>(question: Ask): Promise<HeldResource<T> | null> {
    return ask(this.home, question, START_LIMIT_MS, said => {
      if ('line' in said) this.#options.report(said.line);
      // Each connection of this process receives the message; the first one counts.
      if (!('stopping' in said) || this.#left) return;
      this.#left = true;
      this.#options.report(`The local stack is ended by another command. ${REMEDY}`);
    });
  }
}

/**
 * Returns the one stack of this home: the running one, else a new one in the background on the same database.
 * @throws SteersmanError that says why it can't start.
 */
export function ensureServer(home: string, options: EnsureServerOptions): Promise<LocalStack> {
  return new LocalStack(home, options).opened();
}

/** Returns the state of this home's stack; null if nothing runs. It starts nothing. */
export async function stackState(home: string): Promise<StackState | null> {
  const held = await ask<StackState>(home, { ask: 'state' }, STATE_LIMIT_MS);
  held?.close();
  return held?.value ?? null;
}

/**
 * Ends everything of a home gracefully: first the workers (tools may take 30 s to finish), then the server. Open runs
 * stay open in the database. Returns false if nothing ran. Connected clients lose their server.
 */
export async function stopStack(home: string, report: Report = () => {}): Promise<boolean> {
  for (let ran = false; ; ran = true) {
    const socket = await dial(home);
    socket?.destroy();
    if (socket === null) return ran;
    // The owner answers by closing the connection.
    await ask(home, { ask: 'stop' }, STOP_LIMIT_MS, said => 'line' in said && report(said.line));
    await delay(50);
  }
}

/** Starts the owner in its own process session, so that Ctrl-C in this terminal does not reach it. */
async function startOwner(home: string, options: EnsureServerOptions): Promise<ChildProcess> {
  // Before the server is fetched: the owner can't start without it.
  const script = requireScript(builtBeside(import.meta.url, 'owner.js'));
  makeHome(home);
  const { path: binary } = await temporalBinary(home, options.report);
  options.report('Starting the local Temporal server …');
  const given: OwnerOptions = { home, binary, idleMs: options.idleMs ?? DEFAULT_IDLE_MS };
  const args = [script, JSON.stringify(given)];
  const child = withLog(stackPaths(home).ownerLog, log =>
    spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: plainEnvironment(),
      cwd: home,
    }),
  );
  // A child that could not be started has no process id, and counts as ended.
  child.on('error', () => {}).unref();
  return child;
}

function ownerError(home: string, what: string): SteersmanError {
  return startError(`The owner of the local stack ${what}`, stackPaths(home).ownerLog);
}

function hasGone(): SteersmanError {
  return new SteersmanError('The local stack has ended.', REMEDY, 'host');
}

/** The worker gets this process's environment without its TEMPORAL_ variables, which may name another server. */
function requestOf(settings: WorkerSettings, taskQueue: string | null): WorkerRequest {
  const { fingerprint, args = [], cwd = process.cwd(), folder = null, ofOther = false } = settings;
  const all = Object.entries(ofOther ? env.withoutFolder() : env.all());
  const own = all.filter(([name]) => !name.startsWith('TEMPORAL_'));
  const script = requireScript(settings.script ?? WORKER_SCRIPT);
  const started = { program: process.execPath, args: [script, ...args], cwd, folder, remedy: REMEDY };
  const given = Object.fromEntries(own.map(([name, value = '']) => [name, value]));
  return { fingerprint, taskQueue, ...started, env: given };
}

/** @throws SteersmanError if a script of the build is missing. */
function requireScript(path: string): string {
  if (existsSync(path)) return path;
  throw new SteersmanError(`A part of the build is missing: ${path}`, REBUILD);
}
