/** Connections to tool servers, shared by all runs of a worker that use a server with the same settings. */
import { errorText } from '../../base/text/error-text.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { CODE_SERVER, type CodeTool, checkCodeTools } from '../tools/code-tools.js';
import type { McpConfig } from './config.js';
import { McpConnection } from './connection.js';
import { codeServer, type ResolvedServer, type ResolveOptions, resolveServer } from './resolve-server.js';

const IDLE_CLOSE_MS = 10 * 60_000;
/** Above this number idle connections are closed, the least recently used first. */
const MAX_CONNECTIONS = 32;
/** A connection that was returned this recently is about to be used, so it stays open. */
const IN_HAND_MS = 5_000;
const SWEEP_INTERVAL_MS = 60_000;

export interface McpPoolOptions {
  config: McpConfig;
  lookup: (name: string) => string | undefined;
  /** The worker's own tools, in addition to those of servers. Default: an empty list. */
  codeTools?: readonly CodeTool[];
  /** See `ResolveOptions`. */
  toolsHere?: ResolveOptions['toolsHere'];
  idleCloseMs?: number;
  maxConnections?: number;
}

export interface McpServerStatus {
  server: string;
  status: 'connected' | 'failed';
  error?: string;
  pid?: number;
}

interface Entry {
  opening: Promise<McpConnection>;
  connection: McpConnection | null;
  server: ResolvedServer;
  error: string | null;
  lastUsedAt: number;
}

export class McpPool {
  readonly config: McpConfig;
  readonly codeTools: readonly CodeTool[];
  /** False if `steersman tools` is a command like any other, which may be anybody's. */
  readonly servesOwn: boolean;
  readonly #options: McpPoolOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #retired = new Set<McpConnection>();
  readonly #closing = new Set<Promise<void>>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #ending = new AbortController();

  constructor(options: McpPoolOptions) {
    this.config = options.config;
    this.codeTools = options.codeTools ?? [];
    this.servesOwn = options.toolsHere !== undefined;
    checkCodeTools(this.codeTools);
    if (this.config.servers.some(({ name }) => name === CODE_SERVER)) {
      throw new SteersmanError(
        `${this.config.file}: mcpServers.${CODE_SERVER}: this name is reserved for tools in code.`,
        'Give the server another name.',
      );
    }
    this.#options = options;
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS);
    this.#sweeper.unref();
  }

  /**
   * Returns the connection to a server. It is created on first use, and again if the last one is unusable, which is
   * closed once idle. Concurrent callers share one attempt.
   * @throws SteersmanError if the server is not configured, lacks a variable, or does not start.
   */
  async connect(name: string, workspace: string): Promise<McpConnection> {
    const server = this.#resolve(name, workspace);
    const known = this.#entries.get(server.key);
    const reusable = known && known.error === null && !known.connection?.closed;
    if (known && !reusable) this.#drop(server.key, known);
    const entry = reusable ? known : this.#open(server);
    entry.lastUsedAt = Date.now();
    return entry.opening;
  }

  /** Returns a connection that is not shared; the caller closes it. @throws SteersmanError as `connect` does. */
  async connectAlone(name: string, workspace: string): Promise<McpConnection> {
    return McpConnection.open(this.#resolve(name, workspace), this.#ending.signal);
  }

  #resolve(name: string, workspace: string): ResolvedServer {
    if (this.#ending.signal.aborted)
      throw new SteersmanError('The tool servers were closed: this worker is ending.', 'Start it again.');
    if (name === CODE_SERVER) return codeServer(this.codeTools, workspace);
    const config = this.config.servers.find(server => server.name === name);
    if (!config) {
      throw new SteersmanError(
        `There is no enabled tool server named ${name} in ${this.config.file}.`,
        'Add it under "mcpServers" and restart the worker.',
      );
    }
    const { lookup, toolsHere } = this.#options;
    return resolveServer(config, this.config, { workspace, lookup, ...(toolsHere && { toolsHere }) });
  }

  #open(server: ResolvedServer): Entry {
    const opening = McpConnection.open(server, this.#ending.signal);
    const entry: Entry = { opening, connection: null, server, error: null, lastUsedAt: Date.now() };
    this.#entries.set(server.key, entry);
    opening.then(
      connection => {
        entry.connection = connection;
        this.sweep();
      },
      error => {
        entry.error = errorText(error);
      },
    );
    return entry;
  }

  status(): McpServerStatus[] {
    return [...this.#entries.values()]
      .filter(entry => entry.connection !== null || entry.error !== null)
      .map(({ server, connection, error }) => {
        if (connection && !connection.closed) {
          const pid = connection.pid;
          return { server: server.name, status: 'connected', ...(pid === undefined ? {} : { pid }) };
        }
        return {
          server: server.name,
          status: 'failed',
          error: error ?? connection?.describeEnd() ?? 'closed',
        };
      });
  }

  /** Closes connections that were idle for too long, and the least recently used above the limit. Runs every minute. */
  sweep(now = Date.now()): void {
    const { idleCloseMs = IDLE_CLOSE_MS, maxConnections = MAX_CONNECTIONS } = this.#options;
    const idle = [...this.#entries]
      .filter(([, entry]) => entry.error !== null || entry.connection?.isIdle)
      .sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt);
    for (const [key, entry] of idle) {
      const isOld = now - entry.lastUsedAt >= idleCloseMs;
      const isTooMany = this.#entries.size > maxConnections && now - entry.lastUsedAt >= IN_HAND_MS;
      if (isOld || isTooMany || entry.connection?.closed) this.#drop(key, entry);
    }
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    const { connection } = entry;
    if (!connection) return;
    this.#retired.add(connection);
    this.#track(connection.closeWhenIdle().finally(() => this.#retired.delete(connection)));
  }

  #track(closing: Promise<void>): void {
    const done = closing.catch(() => undefined).finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }

  /** Closes every connection and ends all server processes of this pool. Call it after activities have drained. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the worker is ending'));
    clearInterval(this.#sweeper);
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const connection of this.#retired) this.#track(connection.close());
    for (const { opening } of entries) {
      this.#track(
        opening.then(
          connection => connection.close(),
          () => undefined,
        ),
      );
    }
    await Promise.all(this.#closing);
  }
}
