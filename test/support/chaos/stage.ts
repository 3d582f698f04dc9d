/** The processes of a chaos, and what befalls them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../simulation/random.js';
import type { FakeMcp } from '../fake-mcp-server.js';
import {
  isRunning,
  processesNaming,
  spawnWorker,
  type TemporalProcess,
  type WorkerProcess,
  type WorkerProcessOptions,
} from '../processes.js';
import { until } from '../wait.js';
import type { Fault } from './plan.js';

export interface StageOptions {
  worker: WorkerProcessOptions;
  workers: number;
  fake: FakeMcp;
  /** Struck as well where it is given. */
  server: TemporalProcess | null;
  /** A folder whose name is in the command line of every process of this chaos. */
  dir: string;
  random: Random;
}

/** A worker that is told to end and does not hangs: it gives its tools 30 s. */
const END_WITHIN_MS = 90_000;

/** Workers are replaced when they are killed, tool servers by their workers, the server by its `restart`. */
export class Stage {
  /** What was done, such as `worker paused`, with how often. */
  readonly done: Record<string, number> = {};
  /** Workers that ended by themselves, with their last words. */
  readonly faults: string[] = [];
  readonly #options: StageOptions;
  readonly #workers = new Set<WorkerProcess>();
  /** Processes that are stopped or being replaced. */
  readonly #struck = new Set<number>();
  readonly #lasting = new Set<Promise<void>>();
  #closing = false;
  #calm = new AbortController();

  constructor(options: StageOptions) {
    this.#options = options;
    for (let count = 0; count < options.workers; count++) this.#live();
  }

  /** Begins a fault and returns: a pause lasts on. */
  strike({ target, pauseMs }: Fault): void {
    const pid = this.#choose(this.#candidates(target));
    if (pid === undefined) {
      // A worker is there always; a tool server only when it was needed.
      if (target !== 'worker') this.strike({ afterMs: 0, target: 'worker', pauseMs });
      return;
    }
    const name = `${target} ${pauseMs === null ? 'killed' : 'paused'}`;
    this.done[name] = (this.done[name] ?? 0) + 1;
    this.#struck.add(pid);
    const lasting = (pauseMs === null ? this.#kill(target, pid) : this.#pause(pid, pauseMs)).finally(() => {
      this.#struck.delete(pid);
      this.#lasting.delete(lasting);
    });
    this.#lasting.add(lasting);
  }

  /** Ends all pauses; resolves when everything runs again. */
  async calm(): Promise<void> {
    this.#calm.abort();
    await Promise.all(this.#lasting);
    this.#calm = new AbortController();
  }

  /** Ends the workers in order. Returns what is left running after them. */
  async close(): Promise<number[]> {
    await this.calm();
    this.#closing = true;
    const workers = [...this.#workers];
    for (const worker of workers) worker.end('SIGTERM');
    await Promise.race([
      Promise.all(workers.map(worker => worker.exited)),
      sleep(END_WITHIN_MS, undefined, { ref: false }),
    ]);
    for (const worker of this.#workers) {
      this.faults.push(`a worker does not end: ${lastWords(worker)}`);
      worker.end('SIGKILL');
    }
    const { dir, fake } = this.#options;
    const left = () => [...processesNaming(dir), ...toolServers(fake)].filter(isRunning);
    await until('nothing is left running', () => left().length === 0).catch(() => undefined);
    return left();
  }

  #live(): void {
    const worker = spawnWorker(this.#options.worker);
    this.#workers.add(worker);
    void worker.exited.then(end => {
      this.#workers.delete(worker);
      if (this.#closing) return;
      if (end !== 'SIGKILL') this.faults.push(`a worker ended (${end}): ${lastWords(worker)}`);
      this.#live();
    });
  }

  #candidates(target: Fault['target']): number[] {
    const { server, fake } = this.#options;
    if (target === 'server') return server === null ? [] : [server.pid];
    if (target === 'tool server') return toolServers(fake).filter(isRunning);
    return [...this.#workers].map(({ pid }) => pid);
  }

  #choose(pids: number[]): number | undefined {
    const free = pids.filter(pid => !this.#struck.has(pid));
    return free.length === 0 ? undefined : this.#options.random.pick(free);
  }

  async #kill(target: Fault['target'], pid: number): Promise<void> {
    const { server } = this.#options;
    if (target !== 'server' || server === null) return signal(pid, 'SIGKILL');
    await server.kill();
    await server.restart();
  }

  async #pause(pid: number, ms: number): Promise<void> {
    signal(pid, 'SIGSTOP');
    await sleep(ms, undefined, { signal: this.#calm.signal }).catch(() => undefined);
    signal(pid, 'SIGCONT');
  }
}

function lastWords(worker: WorkerProcess): string {
  return worker.log().slice(-2_000);
}

function toolServers(fake: FakeMcp): number[] {
  return fake
    .events()
    .filter(({ event }) => event === 'start')
    .map(({ pid }) => pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
