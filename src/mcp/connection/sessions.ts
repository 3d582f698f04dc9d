/** The sessions with stateful servers that this worker holds: one connection per run and server. */
import { randomUUID } from 'node:crypto';
import type { McpConnection } from './connection.js';
import type { McpPool } from './pool.js';

/** A session that was unused for this long is closed, even while its run waits. */
const IDLE_CLOSE_MS = 60 * 60_000;
const SWEEP_INTERVAL_MS = 30_000;

interface Session {
  connection: McpConnection;
  runId: string;
  lastUsedAt: number;
}

export class McpSessions {
  readonly #pool: Pick<McpPool, 'connectAlone'>;
  readonly #sessions = new Map<string, Session>();
  readonly #closing = new Set<Promise<void>>();
  #sweeper: NodeJS.Timeout | null = null;
  #queue: string | null = null;

  constructor(pool: Pick<McpPool, 'connectAlone'>) {
    this.#pool = pool;
  }

  /** The task queue that only this worker polls. While it is null, the worker opens no sessions. */
  get queue(): string | null {
    return this.#queue;
  }

  /** Allows sessions to be opened: their calls reach this worker by `queue`. `isOpen` tells whether a run is still running. */
  serve(queue: string, isOpen: (runId: string) => Promise<boolean>): void {
    this.#queue = queue;
    this.#sweeper = setInterval(() => void this.sweep(isOpen), SWEEP_INTERVAL_MS);
    this.#sweeper.unref();
  }

  /** Opens a session for a run. @throws SteersmanError if the server does not start. */
  async open(
    server: string,
    { runId, workspace }: { runId: string; workspace: string },
  ): Promise<{ id: string; connection: McpConnection }> {
    const connection = await this.#pool.connectAlone(server, workspace);
    const id = randomUUID();
    this.#sessions.set(id, { connection, runId, lastUsedAt: Date.now() });
    return { id, connection };
  }

  /** Returns the connection of a session of this run; null if the session has ended. */
  find(id: string, runId: string): McpConnection | null {
    const session = this.#sessions.get(id);
    if (!session || session.runId !== runId || session.connection.closed) return null;
    session.lastUsedAt = Date.now();
    return session.connection;
  }

  drop(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    const done = session.connection
      .close()
      .catch(() => undefined)
      .finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }

  /** Closes sessions whose server or run has ended, and those that were idle for too long. Runs periodically. */
  async sweep(isOpen: (runId: string) => Promise<boolean>, now = Date.now()): Promise<void> {
    const idle = [...this.#sessions].filter(([, { connection }]) => connection.isIdle);
    await Promise.all(
      idle.map(async ([id, { connection, runId, lastUsedAt }]) => {
        const isOld = now - lastUsedAt >= IDLE_CLOSE_MS;
        if (connection.closed || isOld || !(await isOpen(runId))) this.drop(id);
      }),
    );
  }

  /** Closes all sessions; when it resolves, all their server processes have ended. Call it after activities have drained. */
  async close(): Promise<void> {
    if (this.#sweeper) clearInterval(this.#sweeper);
    this.#queue = null;
    for (const id of this.#sessions.keys()) this.drop(id);
    await Promise.all(this.#closing);
  }
}
