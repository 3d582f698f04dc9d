/** The client: what programs start, find and steer runs with. */
import type { RunRecord } from '../run/state/kept.js';
import { leftOpenRuns } from '../shared/local/open-runs.js';
import { SteersmanError } from '../shared/process/errors.js';
import type { Report } from '../shared/process/output.js';
import { DEFAULT_TASK_QUEUE } from '../workflows/run/definitions.js';
import { type Abortable, abortable, leavable } from './connection/abortable.js';
import type { ClientScope } from './connection/client-scope.js';
import { placeOf, type Temporal } from './connection/connect.js';
import { allowedTools } from './kept/kept-permissions.js';
import { keptRun, noStore, removeWhole } from './kept/kept-runs.js';
import { type ListedRun, type ListOptions, listRuns } from './record/list-runs.js';
import { describeRun, workspaceOf } from './record/runs.js';
import { Run } from './run/run-handle.js';
import { Schedules } from './start/schedules.js';
import { startInSession } from './start/start-in-session.js';
import { type StartOptions, startRequest, startRun } from './start/start-run.js';

/** What a client is given where it is put together. */
export interface ClientParts extends Pick<ClientScope, 'kept' | 'project'> {
  report?: ((line: string) => void) | undefined;
  signal?: AbortSignal | undefined;
  open(report: Report): Promise<Temporal>;
}

/** Connects. Throws a `SteersmanError`: what `open` throws, or `aborted`. */
export function openClient({
  report = () => {},
  signal,
  open,
  ...parts
}: ClientParts): Promise<SteersmanClient> {
  const closing = new AbortController();
  return abortable({ closing: closing.signal }, { signal }, async ending => {
    const temporal = await open(report);
    // Nobody waits for it any more.
    if (ending.aborted) await temporal.close();
    ending.throwIfAborted();
    return new SteersmanClient({ ...parts, temporal, report, closing: closing.signal }, () =>
      closing.abort(new Error('the client was closed')),
    );
  });
}

/** A run of the local stack whose worker is gone. It waits. */
export interface LeftOpenRun {
  id: string;
  taskQueue: string;
}

/** A connected client. Close it when nothing is to be watched, answered or started any more: runs go on. */
export class SteersmanClient {
  /** host:port of Temporal. */
  readonly address: string;
  readonly namespace: string;
  /** Runs that Temporal starts again and again. */
  readonly schedules: Schedules;
  readonly #scope: ClientScope;
  readonly #endDuties: () => void;

  /** Programs get it from `connect`. */
  constructor(scope: ClientScope, endDuties: () => void) {
    this.#scope = scope;
    this.#endDuties = endDuties;
    this.address = scope.temporal.address;
    this.namespace = scope.temporal.namespace;
    this.schedules = new Schedules(scope);
  }

  /**
   * Starts a run. On the local stack a background worker serves it, is started where none with these settings
   * runs, and is replaced when it dies while this client is open. Throws a `SteersmanError`: `usage` with all that
   * is wrong with goal and options, `conflict` for an id that is taken, `uncertain` where Temporal stopped answering.
   */
  start(goal: string, { signal, ...options }: StartOptions & Abortable = {}): Promise<Run> {
    const { temporal, report, kept, project } = this.#scope;
    return abortable(this.#scope, { signal }, async ending => {
      const request = await startRequest(goal, options, { project, local: temporal.local !== null });
      if (request.note !== null) report(request.note);
      if (options.keptPermissions === true) {
        const allowed = allowedTools(placeOf(temporal, request.settings.workspace));
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
      return new Run(this.#scope, started, options.tools);
    });
  }

  /**
   * The run of this id, open or ended. `tools`: functions of its client tools, to answer their calls from here. Throws
   * a `SteersmanError` `not_found` where there is none.
   */
  attach(id: string, { tools, ...options }: Abortable & Pick<StartOptions, 'tools'> = {}): Promise<Run> {
    const { temporal } = this.#scope;
    return abortable(this.#scope, options, async () => {
      const kept = await describeRun(temporal, id).catch(error => forgottenRun(this.#scope, id, error));
      if ('chain' in kept) return new Run(this.#scope, { ...kept, id, taskQueue: '', forgotten: kept });
      const { runId, taskQueue, memo } = kept;
      return new Run(this.#scope, { id, runId, taskQueue, workspace: workspaceOf(memo) }, tools);
    });
  }

  /**
   * Removes a conversation for good: from the store of this machine, with its texts, and its runs from Temporal. Throws
   * a `SteersmanError`: `open` where a run of it is open, `conflict` where branches share what it says.
   */
  deleteSession(id: string, options: Abortable = {}): Promise<void> {
    const { temporal, kept } = this.#scope;
    return abortable(this.#scope, options, async () => {
      if (kept === null) throw noStore();
      await removeWhole(kept, id, temporal.client);
    });
  }

  /** Runs, newest first. Throws a `SteersmanError` where the server does not list them. */
  list(options: ListOptions = {}): AsyncGenerator<ListedRun> {
    return leavable(this.#scope, undefined, () => listRuns(this.#scope.temporal, options));
  }

  /** Runs of the local stack that nobody serves since a crash or an ended stack; none on another server. */
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
   * Starts workers for runs that were left open: they go on, each with the folder of configuration that it was started
   * with, or with `configDir`. One that can't be started keeps none of the others from it, and is thrown in the end.
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

  /** Ends what answers gates and tools from here and closes the connection. Runs and their workers go on. */
  async close(): Promise<void> {
    this.#endDuties();
    await this.#scope.temporal.close();
  }

  /** The queue to start on: the named one, else that of a local worker with these settings, started if needed. */
  async #queueFor(named: string | null, configDir: string | null): Promise<string> {
    const { temporal, project } = this.#scope;
    if (named !== null) return named;
    if (temporal.local === null || project === null) return DEFAULT_TASK_QUEUE;
    return (await temporal.local.worker(project.workerOf(configDir))).taskQueue;
  }
}

/** What the store has of a run that Temporal knows no more. Throws the error where it has nothing. */
async function forgottenRun({ kept: store }: ClientScope, id: string, error: unknown): Promise<RunRecord> {
  const isUnknown = error instanceof SteersmanError && error.code === 'not_found';
  const kept = isUnknown && store ? await keptRun(store.sessions, id).catch(() => null) : null;
  if (kept === null) throw error;
  return kept;
}
