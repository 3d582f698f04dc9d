/**
 * The one process that owns a home's local stack. Temporal server and workers are its children, and end with it. It
 * restarts a server that dies, replaces workers that die while they are used, and serves the door of the Web UI. It
 * ends everything after `idleMs` without a connection, a worker or a served open run.
 */
import { truncateSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Client } from '@temporalio/client';
import { plural } from 'steersman/base';
import {
  type Ask,
  becomeOwner,
  choosePort,
  errorLine,
  failureOf,
  hasOpenRuns,
  localConnection,
  type OwnerMessage,
  readRecord,
  receive,
  type ServerAnswer,
  send,
  servedRuns,
  stackPaths,
  temporalClient,
  understood,
  writeRecord,
} from 'steersman/shared';
import { type DevServer, startDevServer } from './dev-server.js';
import { serveUi } from './door.js';
import { type Guest, WorkerPool } from './worker-pool.js';

/** The owner's only command-line argument, as JSON. */
export interface OwnerOptions {
  home: string;
  /** Path of the Temporal CLI. */
  binary: string;
  idleMs: number;
}

/** A server that dies more often within `RESTART_WINDOW_MS` is not restarted. */
const MAX_RESTARTS = 5;
const RESTART_WINDOW_MS = 60_000;

class Owner {
  readonly #options: OwnerOptions;
  readonly #seat: Server;
  readonly #webUi: string;
  readonly #workers: WorkerPool;
  readonly #guests = new Set<Guest>();
  /** Guests that use the server or a worker. Guests that only ask for the state are not among them. */
  readonly #users = new Set<Guest>();
  readonly #deaths: number[] = [];
  /** The current server; pending while it starts. */
  #server: Promise<ServerAnswer>;
  #running: DevServer | null = null;
  #client: Client | null = null;
  #ending: Promise<void> | null = null;

  constructor(options: OwnerOptions, seat: Server, webUi: string) {
    this.#options = options;
    this.#seat = seat;
    this.#webUi = webUi;
    this.#workers = new WorkerPool(options.home);
    this.#server = this.#keepServer(readRecord(options.home)?.address);
    void this.#endWhenIdle();
  }

  get innerUi(): string | null {
    return this.#running?.innerUi ?? null;
  }

  welcome(socket: Socket): void {
    const guest: Guest = { socket, tell: (said: OwnerMessage) => send(socket, said) };
    this.#guests.add(guest);
    socket.once('close', () => {
      this.#guests.delete(guest);
      this.#users.delete(guest);
      this.#workers.release(guest);
    });
    receive<Ask>(socket, question => void this.#reply(guest, question));
  }

  async #reply(guest: Guest, question: Ask): Promise<void> {
    // The closed connection tells this guest to start another owner.
    if (this.#ending !== null) return void guest.socket.destroy();
    try {
      guest.tell({ value: await this.#do(guest, understood(question)) });
    } catch (error) {
      guest.tell({ failure: failureOf(error) });
    }
  }

  async #do(guest: Guest, question: Ask): Promise<unknown> {
    switch (question.ask) {
      case 'server':
        this.#users.add(guest);
        return this.#server;
      case 'worker':
        return this.#workers.give(question.worker, (await this.#server).address, guest);
      case 'state': {
        const server = this.#running && this.#answerOf(this.#running);
        return { pid: process.pid, server, workers: this.#workers.state, clients: this.#users.size };
      }
      case 'stop':
        return this.stop(line => guest.tell({ line }));
    }
  }

  /** Stops the stack because a person asked for it. The connected users are told not to start another. */
  stop(tell: (line: string) => void): Promise<void> {
    for (const user of this.#users) user.tell({ stopping: true });
    return this.#end(tell);
  }

  /** Ends workers and server gracefully, then this process. Guests notice the end by their closed connection. */
  async #end(tell: (line: string) => void, exitCode = 0): Promise<void> {
    this.#ending ??= this.#endAll(tell);
    await this.#ending;
    this.#seat.close();
    process.exit(exitCode);
  }

  async #endAll(tell: (line: string) => void): Promise<void> {
    const { length } = this.#workers.state;
    if (length > 0) tell(`Ending ${plural(length, 'worker')} …`);
    await this.#workers.endAll();
    // A starting server already has the database open.
    await this.#server.catch(() => {});
    if (this.#running !== null) tell(`Ending the Temporal server at ${this.#running.address} …`);
    await this.#running?.end();
    await Promise.all([...this.#guests].map(({ socket }) => new Promise<void>(done => socket.end(done))));
  }

  #answerOf({ address, pid }: DevServer): ServerAnswer {
    return { address, pid, webUi: this.#webUi, owner: process.pid };
  }

  /** If the server can't be restarted, the owner ends: its users start another, or get the reason why that fails. */
  #keepServer(earlier: string | undefined): Promise<ServerAnswer> {
    const server = this.#startServer(earlier);
    server.catch(error => {
      errorLine(inspect(error));
      void this.#end(errorLine, 1);
    });
    return server;
  }

  async #startServer(earlier: string | undefined): Promise<ServerAnswer> {
    const { home, binary } = this.#options;
    const recent = this.#deaths.filter(at => at > performance.now() - RESTART_WINDOW_MS).length;
    if (recent > MAX_RESTARTS) throw new Error(`The Temporal server died ${recent} times within a minute.`);
    const follows = this.#running !== null;
    const server = await startDevServer(home, binary, portOf(earlier));
    this.#running = server;
    // Workers and guests know only the address of the previous server.
    if (follows && server.address !== earlier) throw new Error(`The port of ${earlier} was taken meanwhile.`);
    this.#client ??= temporalClient({ connection: localConnection(server.address) });
    writeRecord(home, { pid: process.pid, address: server.address, webUi: this.#webUi });
    void server.ended.then(() => {
      this.#deaths.push(performance.now());
      if (this.#ending === null) this.#server = this.#keepServer(server.address);
    });
    return this.#answerOf(server);
  }

  /** Uses a clock that stops while the machine sleeps, because nothing can be used then. */
  async #endWhenIdle(): Promise<void> {
    const { idleMs } = this.#options;
    await this.#server.catch(() => {});
    let usedAt = performance.now();
    while (this.#ending === null) {
      await delay(Math.min(1_000, idleMs / 4));
      await this.#workers.endIdle(idleMs, taskQueue => this.#ask(client => hasOpenRuns(client, taskQueue)));
      if (this.#isUsed()) usedAt = performance.now();
      if (performance.now() - usedAt < idleMs) continue;
      if (await this.#ask(async client => (await servedRuns(client, [])) > 0)) usedAt = performance.now();
      else if (!this.#isUsed()) await this.#end(errorLine);
    }
  }

  #isUsed(): boolean {
    return this.#users.size > 0 || this.#workers.state.length > 0;
  }

  /** Returns false if the server does not answer. */
  async #ask(question: (client: Client) => Promise<boolean>): Promise<boolean> {
    const client = this.#client;
    if (client === null) return false;
    return client.withDeadline(Date.now() + 5_000, () => question(client)).catch(() => false);
  }
}

function portOf(url: string | undefined): number | undefined {
  return url === undefined ? undefined : Number(url.split(':').at(-1));
}

async function main(options: OwnerOptions): Promise<void> {
  const { home } = options;
  // Errors of stderr are ignored: a full disk must not end the owner.
  process.stderr.on('error', () => {});
  const early: Socket[] = [];
  let welcome = (socket: Socket): void => void early.push(socket);
  const seat = await becomeOwner(home, socket => welcome(socket));
  if (seat === null) process.exit(0);
  truncateSync(stackPaths(home).ownerLog);
  const earlier = readRecord(home);
  writeRecord(home, { ...earlier, pid: process.pid });
  let owner: Owner | null = null;
  const port = await choosePort('webUi', portOf(earlier?.webUi));
  const webUi = await serveUi(port, () => owner?.innerUi ?? null);
  owner = new Owner(options, seat, webUi);
  welcome = socket => owner.welcome(socket);
  early.forEach(welcome);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void owner.stop(errorLine));
}

// This file is a script: other files import only its types.
main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  errorLine(inspect(error));
  process.exit(1);
});
