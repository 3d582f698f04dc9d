/** Workers and Temporal servers as processes of their own, for tests that kill them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startDevServer } from '../../packages/stack/dev-server.js';
import { temporalBinary } from '../../packages/stack/download/temporal-fetch.js';
import { makeHome, resolveHome } from '../../src/shared/local/home.js';
import { builtScript } from '../../src/shared/process/package.js';
import { lookAt } from '../../src/worker/identity.js';
import type { TestProject } from './project.js';
import { until } from './wait.js';

export interface WorkerProcess {
  pid: number;
  /** SIGKILL to the worker alone; resolves when it is gone. */
  kill(): Promise<void>;
  /** A signal to its whole process group, as Ctrl-C in its terminal does; nothing when it has ended. */
  end(signal: NodeJS.Signals): void;
  /** Resolves when it has ended, with its exit code or the signal that killed it. */
  exited: Promise<number | NodeJS.Signals | null>;
  /** What it wrote to stderr so far. */
  log(): string;
}

export interface WorkerProcessOptions {
  /** Of the Temporal server. */
  address: string;
  taskQueue: string;
  project: TestProject;
  /** Default: none that answers. */
  model?: { baseUrl: string };
  failpoints?: FailpointsOn;
  /** Folder of the package that it is built from. Default: this one. */
  packageDir?: string;
  /** Variables beside those above. */
  env?: Record<string, string>;
  /** Arguments beside those above. */
  args?: string[];
}

/** Failpoints of all workers that get this object. */
export interface FailpointsOn {
  /** As STEERSMAN_FAILPOINTS takes it. */
  plan: string;
  /** A folder of its own. */
  dir: string;
}

const running = new Set<ChildProcess>();
process.on('exit', killWorkers);

/** Kills what a test that failed has left: call it after all tests of a file. */
export function killWorkers(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts `dist/worker.js`; does not wait until it polls, since a failpoint may end it before. */
export function spawnWorker(options: WorkerProcessOptions): WorkerProcess {
  const { address, taskQueue, project, model, failpoints } = options;
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    TEMPORAL_ADDRESS: address,
    OPENAI_BASE_URL: model?.baseUrl ?? '',
    OPENAI_API_KEY: 'test-key',
    STEERSMAN_HOME: join(project.dir, 'home'),
    ...(failpoints && { STEERSMAN_FAILPOINTS: failpoints.plan, STEERSMAN_FAILPOINTS_DIR: failpoints.dir }),
    ...options.env,
  };
  const { packageDir, args: more = [] } = options;
  const script = packageDir === undefined ? builtScript('worker.js') : join(packageDir, 'dist', 'worker.js');
  const args = [script, '--config', project.configDir, '--task-queue', taskQueue, ...more];
  // A process group of its own, so that a test can send it what a terminal sends.
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  running.add(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const exited = once(child, 'exit').then(([code, signal]: (number | NodeJS.Signals | null)[]) => {
    running.delete(child);
    return signal ?? code ?? null;
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the worker process did not start');
  return {
    pid,
    exited,
    log: () => log,
    end: signal => {
      if (running.has(child)) process.kill(-pid, signal);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Starts a worker and waits until it polls. */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const worker = spawnWorker(options);
  let ended = false;
  void worker.exited.then(() => {
    ended = true;
  });
  await until('the worker polls', () => ended || worker.log().includes('Serving the task queue'));
  if (ended) throw new Error(`the worker ended at its start:\n${worker.log()}`);
  return worker;
}

/** Which passages of a failpoint have fired, from the marks in `dir`: proof that the fault happened. */
export function firedPassages(dir: string, name: string): number[] {
  const mark = `${name}.fired.`;
  return readdirSync(dir)
    .filter(file => file.startsWith(mark))
    .map(file => Number(file.slice(mark.length)))
    .sort((a, b) => a - b);
}

export interface TemporalProcess {
  address: string;
  /** Another one after each restart. */
  readonly pid: number;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same database and ports. */
  restart(): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/** A Temporal dev server on a database file below `home`. */
export async function startTemporalProcess(home: string): Promise<TemporalProcess> {
  makeHome(home);
  const { path } = await temporalBinary(resolveHome(), line => console.error(line));
  // Not the default port, which a stack of this machine may have.
  const port = await freePort();
  let server = await startDevServer(home, path, port);
  const { address } = server;
  return {
    address,
    get pid() {
      return server.pid;
    },
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.ended;
    },
    restart: async () => {
      server = await startDevServer(home, path, port);
      if (server.address !== address) throw new Error(`the port of ${address} was taken meanwhile`);
    },
    stop: () => server.end(),
  };
}

/** Below the ports that systems give to outgoing connections: one of those could take it while the server is away. */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const server = createServer();
  const free = await new Promise<boolean>(resolve => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!free) return freePort();
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** Is there a process with this number? */
export function isRunning(pid: number): boolean {
  return lookAt(pid) !== undefined;
}

/** Numbers of the processes whose command line holds `text`, such as the path of a workspace. Linux only. */
export function processesNaming(text: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(name => commandLine(name).includes(text))
    .map(Number)
    .filter(isRunning);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
