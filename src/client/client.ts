/** The client: programs use it to start, find and steer runs. */
import type { RunRecord } from '../run/state/stored-line.js';
import { leftOpenRuns } from '../shared/local/open-runs.js';
import { unlessUnknown } from '../shared/process/errors.js';
import type { Report } from '../shared/process/output.js';
import { DEFAULT_TASK_QUEUE } from '../workflows/run/definitions.js';
import { type Abortable, abortable, leavable } from './connection/abortable.js';
import type { ClientScope } from './connection/client-scope.js';
import { permissionPlace, type Temporal } from './connection/connect.js';
import { type ListedRun, type ListOptions, listRuns } from './record/list-runs.js';
import { describeRun, workspaceOf } from './record/runs.js';
import { Run } from './run/run-handle.js';
import { Schedules } from './start/schedules.js';
import { servedFolders } from './start/served-folders.js';
import { startInSession } from './start/start-in-session.js';
import { type StartOptions, startRequest, startRun } from './start/start-run.js';
import { allowedTools } from './stored/saved-permissions.js';
import { findRecord, noStore, removeWhole } from './stored/stored-runs.js';

/** The parts from which a client is built. */
export interface ClientParts extends Pick<ClientScope, 'kept' | 'project'> {
  report?: ((line: string) => void) | undefined;
  signal?: AbortSignal | undefined;
  open(report: Report): Promise<Temporal>;
}

/** Connects. @throws SteersmanError if `open` throws it, or with the code `aborted`. */
export function openClient({
  report = () => {},
  signal,
  open,
  ...parts
}: ClientParts): Promise<SteersmanClient> {
  const closing = new AbortController();
  return abortable({ closing: closing.signal }, { signal }, async ending => {
    const temporal = await open(report);
    // The caller has stopped waiting for it.
    if (ending.aborted) await temporal.close();
    ending.throwIfAborted();
    return new SteersmanClient({ ...parts, temporal, report, closing: closing.signal }, () =>
      closing.abort(new Error('the client was closed')),
    );
  });
}

/** A run of the local stack whose worker has ended. It waits. */
export interface LeftOpenRun {
  id: string;
  taskQueue: string;
}

/** A connected client. Close it when nothing more must be watched, answered or started: runs continue. */
export class SteersmanClient {
  /** host:port of Temporal. */
  readonly address: string;
  readonly namespace: string;
  /** Schedules by which Temporal starts runs repeatedly. */
  readonly schedules: Schedules;
  readonly #scope: ClientScope;
  readonly #endDuties: () => void;

  /** Programs get a client from `connect`. */
  constructor(scope: ClientScope, endDuties: () => void) {
    this.#scope = scope;
    this.#endDuties = endDuties;
    this.address = scope.temporal.address;
    this.namespace = scope.temporal.namespace;
    this.schedules = new Schedules(scope);
  }

  /**
   * Starts a run. On the local stack a background worker serves it: one with these settings is started if necessary,
   * and replaced if it dies while this client is open. Throws a `SteersmanError`: `usage` with all faults of goal and
   * options, `conflict` for an id in use, `uncertain` if Temporal stopped answering.
   */
  start<T = unknown>(
    goal: string,
    { signal, ...options }: StartOptions<T> & Abortable = {},
  ): Promise<Run<T>> {
    const { temporal, report, kept, project } = this.#scope;
    return abortable(this.#scope, { signal }, async ending => {
      const request = await startRequest(goal, options, { project, local: temporal.local !== null });
      if (request.note !== null) report(request.note);
      if (options.keptPermissions === true) {
        const allowed = allowedTools(permissionPlace(temporal, request.settings.workspace));
        if (allowed.length > 0) request.settings.allowTools = allowed;
      }
      ending.throwIfAborted();
      const taskQueue = await this.#queueFor(request.taskQueue, request.configDir);
      const { session } = request.settings;
      const waits = { ...temporal, signal: ending };
      const started =
        session === undefined
          ? await startRun(waits, request, taskQueue)
          : await startInSession(waits, kept?.sessions ?? null, { ...request, session }, taskQueue);
      return new Run<T>(this.#scope, started, options);
    });
  }

  /**
   * Returns the run of this id, open or ended. `tools`: functions of its client tools, which answer calls in this
   * process, with `context` as their `values`. Throws a `SteersmanError` `not_found` if the id is unknown.
   */
  attach(
    id: string,
    { tools = [], context = {}, ...options }: Abortable & Pick<StartOptions, 'tools' | 'context'> = {},
  ): Promise<Run> {
    const { temporal } = this.#scope;
    return abortable(this.#scope, options, async () => {
      const kept = await describeRun(temporal, id).catch(error => forgottenRun(this.#scope, id, error));
      if ('chain' in kept) return new Run(this.#scope, { ...kept, id, taskQueue: '', forgotten: kept });
      const { runId, taskQueue, memo } = kept;
      return new Run(this.#scope, { id, runId, taskQueue, workspace: workspaceOf(memo) }, { tools, context });
    });
  }

  /**
   * Removes a conversation permanently: from the store of this machine, with its texts, and its runs from Temporal.
   * Throws a `SteersmanError`: `open` if a run of it is open, `conflict` if branches share its messages.
   */
  deleteSession(id: string, options: Abortable = {}): Promise<void> {
    const { temporal, kept } = this.#scope;
    return abortable(this.#scope, options, async () => {
      if (kept === null) throw noStore();
      await removeWhole(kept, id, temporal.client);
    });
  }

  /** Lists runs, newest first. Throws a `SteersmanError` if the server does not list them. */
  list(options: ListOptions = {}): AsyncGenerator<ListedRun> {
    return leavable(this.#scope, undefined, () => listRuns(this.#scope.temporal, options));
  }

  /**
   * Asks a worker of `taskQueue` (default: as for `start`) for the folders below which its runs may work. Empty if no
   * worker answers within three seconds, and for the local stack, whose workers serve any folder.
   */
  servedFolders({
    taskQueue,
    ...options
  }: Pick<StartOptions, 'taskQueue'> & Abortable = {}): Promise<string[]> {
    const { temporal } = this.#scope;
    return abortable(this.#scope, options, () => servedFolders(temporal, taskQueue));
  }

  /** Returns the local stack's runs that have no worker since a crash or a stop; empty on another server. */
  leftOpen(): Promise<LeftOpenRun[]> {
    return abortable(this.#scope, {}, async () => {
      const { client, local } = this.#scope.temporal;
      if (local === null) return [];
      const runs = await leftOpenRuns(client, await local.queues());
      const byId = new Map(runs.map(run => [run.workflowId, run.taskQueue]));
      return [...byId].map(([id, taskQueue]) => ({ id, taskQueue }));
    });
  }

  /**
   * Starts workers for runs that were left open, each with the configuration folder of its start, or with `configDir`.
   * If one can't be started, the others still are, and its error is thrown at the end.
   */
  resumeLeftOpen(
    runs: readonly LeftOpenRun[],
    { configDir }: Pick<StartOptions, 'configDir'> = {},
  ): Promise<void> {
    return abortable(this.#scope, {}, async () => {
      const { temporal, project } = this.#scope;
      const { local } = temporal;
      if (local === null || project === null) return;
      const failures: unknown[] = [];
      for (const taskQueue of new Set(runs.map(run => run.taskQueue))) {
        try {
          const settings =
            configDir === undefined
              ? project.workerOfQueue(local.home, taskQueue)
              : project.workerOf(configDir);
          await local.worker(settings, taskQueue);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    });
  }

  /** Ends the handlers of gates and tools in this process and closes the connection. Runs and their workers continue. */
  async close(): Promise<void> {
    this.#endDuties();
    await this.#scope.temporal.close();
  }

  /** Returns the queue to start on: the named one, else a local worker's with these settings, started if needed. */
  async #queueFor(named: string | null, configDir: string | null): Promise<string> {
    const { temporal, project } = this.#scope;
    if (named !== null) return named;
    if (temporal.local === null || project === null) return DEFAULT_TASK_QUEUE;
    return (await temporal.local.worker(project.workerOf(configDir))).taskQueue;
  }
}

/** Returns the stored record of a run that Temporal has deleted. Throws the error if the store has no record. */
async function forgottenRun({ kept: store }: ClientScope, id: string, error: unknown): Promise<RunRecord> {
  unlessUnknown(error);
  const kept = store ? await findRecord(store.sessions, id).catch(() => null) : null;
  if (kept === null) throw error;
  return kept;
}
