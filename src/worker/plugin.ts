/**
 * A plugin of Temporal's SDK that makes a worker serve runs, for Steersman's own workers and for applications. An
 * application's own workflows, activities, interceptors and sinks stay in use.
 */
import type {
  BundlerPlugin,
  InjectedSinks,
  ReplayWorkerOptions,
  Worker,
  WorkerOptions,
  WorkerPlugin,
} from '@temporalio/worker';
import { Runtime } from '@temporalio/worker';
import type { RequestSinks } from '../activities/types.js';
import { plural } from '../base/text/format.js';
import { resolveHome } from '../shared/local/home.js';
import { SteersmanError } from '../shared/process/errors.js';
import { failpoint } from '../shared/process/failpoints.js';
import { temporalClient } from '../shared/temporal/temporal-client.js';
import { type BundleOptions, bundledWith, checkBundle, shippedBundle } from './bundle.js';
import { workerIdentity } from './identity.js';
import { activityToolCalls, readyActivityTools } from './parts/activity-tools.js';
import { onlyRuns } from './parts/only-runs.js';
import { loadParts, type OwnWorkerOptions, type Parts, type SteersmanPluginOptions } from './parts/parts.js';
import { careForStore } from './parts/store-care.js';
import { createActivities } from './serve/activities.js';
import { careForLateRuns } from './serve/late-runs.js';
import { redactActivities } from './serve/redact-activities.js';
import { createSessionWorker } from './session-worker.js';
import { takeOver } from './take-over.js';

/** Tools in flight get this long to finish when a worker is asked to end; model calls are aborted at once. */
const SHUTDOWN_GRACE_MS = 30_000;
/** After this time the worker exits with an error, because a worker that hangs is never replaced. */
const SHUTDOWN_FORCE_MS = 60_000;
/** 100 streaming runs fill the SDK's default of 100 slots. */
const ACTIVITY_SLOTS = 400;
/**
 * After a crash every run is replayed, which is work for one CPU. With the SDK's 40 concurrent tasks, 50 runs of 100
 * turns would slow each other down until all exceed the server's limit of 10 s and start again, endlessly.
 */
const WORKFLOW_TASK_SLOTS = 4;

/** Each worker needs its own plugin. Options that the application has set are not changed. */
export class SteersmanPlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = 'steersman';
  readonly #options: SteersmanPluginOptions & OwnWorkerOptions;
  readonly #report: (line: string) => void;
  #parts: Parts | null = null;
  #configured: WorkerOptions | null = null;

  constructor(options: SteersmanPluginOptions & OwnWorkerOptions = {}) {
    this.#options = options;
    this.#report = options.report ?? (line => Runtime.instance().logger.info(line));
  }

  /** @throws SteersmanError if the configuration is wrong or no model is usable. */
  async configureWorker(options: WorkerOptions): Promise<WorkerOptions> {
    if (this.#parts) {
      throw new SteersmanError('This SteersmanPlugin has a worker already.', 'Make one for each worker.');
    }
    const count = options.plugins?.filter(({ name }) => name === this.name).length ?? 0;
    if (count > 1) {
      // Only one plugin's tools and permissions would apply, and no message would say whose.
      throw new SteersmanError(
        `This worker has ${count} SteersmanPlugins.`,
        'Give all options to one plugin; for other tools or permissions make a worker with a task queue of its own.',
      );
    }
    const bundle = await workflowsFor(options);
    const activityTools = readyActivityTools(this.#options.activityTools ?? [], options.activities);
    const parts = await loadParts({
      configDir: null,
      localStack: false,
      ...this.#options,
      activityTools,
      report: this.#report,
      home: this.#options.home ?? resolveHome(),
    });
    this.#parts = parts;
    if (this.#options.takesOver !== false) await this.#takeOver(options);
    const { activities = {}, interceptors = {} } = options;
    const slots = {
      maxConcurrentActivityTaskExecutions: ACTIVITY_SLOTS,
      maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASK_SLOTS,
    };
    const configured = {
      identity: workerIdentity(),
      ...(options.tuner ? {} : slots),
      shutdownGraceTime: SHUTDOWN_GRACE_MS,
      shutdownForceTime: SHUTDOWN_FORCE_MS,
      maxHeartbeatThrottleInterval: parts.throttleMs,
      defaultHeartbeatThrottleInterval: parts.throttleMs,
      ...options,
      ...bundle,
      activities: { ...activities, ...createActivities(parts) },
      interceptors: {
        ...interceptors,
        activity: [
          activityToolCalls(activityTools, parts),
          ...(interceptors.activity ?? []),
          onlyRuns,
          redactActivities(parts.secrets),
        ],
      },
      sinks: { ...options.sinks, ...requestSinks(parts) },
    };
    this.#configured = configured;
    return configured;
  }

  /** Configures a replay of histories with the same workflow code. */
  async configureReplayWorker(options: ReplayWorkerOptions): Promise<ReplayWorkerOptions> {
    return {
      ...options,
      ...(await workflowsFor(options)),
      sinks: { ...options.sinks, ...requestSinks(null) },
    };
  }

  /** Adds Steersman's workflow to an application's bundle. Pass the plugin to `bundleWorkflowCode` as well. */
  configureBundler(options: BundleOptions): BundleOptions {
    return bundledWith(options);
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const check = checkWorkflows(worker.options, this.#configured?.workflowBundle);
    // Awaits only if necessary: the caller of `runUntil` may shut down at once, which needs a running worker.
    if (check) await check;
    const shutdown = worker.shutdown.bind(worker);
    const sessions =
      this.#parts && this.#configured
        ? await createSessionWorker(this.#configured, this.#parts, this.#report)
        : null;
    // The SDK notifies activities only after the grace time; model calls must be aborted at its beginning.
    worker.shutdown = () => {
      shutdown();
      sessions?.shutdown();
      this.#parts?.ending.abort(new Error('the worker is ending'));
    };
    const { client } = worker;
    const caring = new AbortController();
    if (this.#parts && client) {
      const { store, keeps, settings } = this.#parts;
      this.#parts.namespaceId = careForStore(client, {
        store,
        textDays: settings.blobs.retentionDays,
        sessionDays: keeps ? (settings.store.sessionDays ?? null) : null,
        report: this.#report,
        signal: caring.signal,
      });
      const { taskQueue } = worker.options;
      if (keeps)
        void careForLateRuns(client, this.#parts, {
          taskQueue,
          report: this.#report,
          signal: caring.signal,
        });
    }
    const serving = sessions?.run();
    try {
      await next(worker);
    } finally {
      sessions?.shutdown();
      await serving;
      caring.abort();
      await this.close();
    }
  }

  /** Closes tool servers. It is called when the worker has ended; call it only for a worker that never ran. */
  async close(): Promise<void> {
    await Promise.all([this.#parts?.sessions.close(), this.#parts?.pool.close()]);
    // If the store does not answer now, the next worker of this machine tries again.
    await this.#parts?.store.catchUp().catch(() => undefined);
  }

  /** Calls and runs that could not be taken over continue anyway, up to 10 s later. */
  async #takeOver({ connection, namespace = 'default', taskQueue }: WorkerOptions): Promise<void> {
    if (!connection || taskQueue === undefined) return;
    try {
      const { calls, runs } = await takeOver(temporalClient({ connection, namespace }), taskQueue);
      if (calls + runs === 0) return;
      this.#report(`Took over ${plural(runs, 'run')} and ${plural(calls, 'call')} from workers that died.`);
    } catch (error) {
      this.#report(`Nothing could be taken over from workers that died: ${String(error)}`);
    }
  }
}

/**
 * An application without workflows gets the shipped bundle; its own bundle must have been made with the plugin. The
 * result overrides the options, because other plugins may pass `workflowBundle: undefined`.
 */
async function workflowsFor({
  buildId: own,
  ...options
}: Pick<WorkerOptions, 'workflowsPath' | 'workflowBundle' | 'workerDeploymentOptions' | 'buildId'>): Promise<
  Pick<WorkerOptions, 'workflowBundle' | 'buildId'>
> {
  if (options.workflowBundle) await checkBundle(options.workflowBundle);
  if (options.workflowBundle || options.workflowsPath) return {};
  const { buildId, workflowBundle } = await shippedBundle();
  // A version of a deployment has its own build id.
  return options.workerDeploymentOptions ? { workflowBundle } : { workflowBundle, buildId: own ?? buildId };
}

/** Checks the worker's final workflows; `checked` needs no check. Without Steersman's workflow its runs would wait forever. */
function checkWorkflows(
  { workflowBundle, workflowsPath }: Pick<WorkerOptions, 'workflowsPath' | 'workflowBundle'>,
  checked: WorkerOptions['workflowBundle'],
): Promise<void> | null {
  if (workflowBundle && workflowBundle !== checked) return checkBundle(workflowBundle);
  if (workflowBundle || workflowsPath) return null;
  throw new SteersmanError(
    'This worker has no workflows: a plugin that comes after SteersmanPlugin has taken them out of its options.',
    'Put SteersmanPlugin last in the list of plugins.',
  );
}

/** Offers are ignored in a replay. */
function requestSinks(parts: Parts | null): InjectedSinks<RequestSinks> {
  return {
    steersman: {
      offer: {
        fn: ({ runId }, page, check) => {
          failpoint('request.offer');
          parts?.offers.add(runId, page, check);
        },
      },
    },
  };
}
