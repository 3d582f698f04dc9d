/** A worker and all it holds: connection, tool servers, model providers, blob store. */

import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import type { InjectedSinks, NativeConnection, WorkerOptions } from '@temporalio/worker';
import { Worker } from '@temporalio/worker';
import { createCallModel } from '../activities/call-model.js';
import { createCallTool } from '../activities/call-tool.js';
import { createLoadRun } from '../activities/load-run.js';
import { createStateReader, OfferedRequests } from '../activities/state-reader.js';
import { createStoreText, runIdOf } from '../activities/store-text.js';
import type { RequestSinks, SteersmanActivities } from '../activities/types.js';
import { type BlobStore, createLocalBlobStore, pruneBlobs } from '../blobs/blob-store.js';
import type { Settings } from '../config/settings.js';
import { loadSettings } from '../config/settings.js';
import { checkWorkspace, workspaceRoots } from '../config/workspace.js';
import { env } from '../env.js';
import { SteersmanError } from '../errors.js';
import { failpoint } from '../failpoints.js';
import { loadMcpConfig } from '../mcp/config.js';
import { McpPool } from '../mcp/pool.js';
import { listRunTools } from '../mcp/tools.js';
import { pinnedModel } from '../models/model-info.js';
import type { Secrets } from '../secrets.js';
import { builtScript } from '../stack/home.js';
import { temporalClient } from '../temporal-client.js';
import { modelRequestQuery, toolRequestQuery } from '../workflows/messages.js';
import { checkModels } from './check-models.js';
import { workerIdentity } from './identity.js';
import { knownSecrets } from './known-secrets.js';
import { onlyRuns } from './only-runs.js';
import { knownProviders } from './providers.js';
import { readArguments } from './read-arguments.js';
import { redactActivities } from './redact-activities.js';
import { readSearchAttributes } from './search-attributes.js';

/** Tools in flight get this long to finish when a worker is asked to end; model calls are given up at once. */
const SHUTDOWN_GRACE_MS = 30_000;
/** 100 streaming runs fill the SDK's default of 100 slots. */
const ACTIVITY_SLOTS = 400;
/**
 * After a crash every run is replayed, and replay is work for one CPU. With the SDK's 40 at once, those of 50
 * runs of 100 turns slow each other down until each exceeds the server's 10 s, and all begin again, for ever.
 */
const WORKFLOW_TASK_SLOTS = 4;
const LIVE_TEXT_LOCAL_MS = 250;
const LIVE_TEXT_REMOTE_MS = 1_000;

export interface SteersmanWorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  /** Folder of `steersman.yaml`, `.mcp.json` and `prompts`. */
  configDir: string;
  /** Folder for blobs. */
  home: string;
  /** True on the local stack: any workspace is served, live text is brisk. */
  localStack: boolean;
  /** True in the background of the local stack: the worker starts without a key, for the rehearsal model. Default false. */
  servesRehearsal?: boolean;
  /** Overrides for tests and benchmarks. */
  temporal?: Partial<
    Pick<
      WorkerOptions,
      'maxCachedWorkflows' | 'shutdownGraceTime' | 'reuseV8Context' | 'stickyQueueScheduleToStartTimeout'
    >
  >;
}

export interface SteersmanWorker {
  worker: Worker;
  /** Ends it in order: model calls in flight are given up at once, tools may finish. Twice is harmless. */
  shutdown(): void;
  /** Closes tool servers; call it after `worker.run()` has ended, when activities have drained. */
  close(): Promise<void>;
}

/** Builds a worker; throws SteersmanError where the configuration is wrong or no model is usable. */
export async function createSteersmanWorker(options: SteersmanWorkerOptions): Promise<SteersmanWorker> {
  const { connection, namespace, taskQueue, configDir } = options;
  const settings = await loadSettings(configDir);
  const providers = knownProviders();
  checkModels(settings, providers, { configDir, servesRehearsal: options.servesRehearsal === true });
  const mcpConfig = loadMcpConfig(configDir);
  const pool = new McpPool({ config: mcpConfig, lookup: env.lookup });
  const secrets = knownSecrets(configDir, mcpConfig);
  const throttleMs =
    settings.liveText.throttleMs ?? (options.localStack ? LIVE_TEXT_LOCAL_MS : LIVE_TEXT_REMOTE_MS);
  const offers = new OfferedRequests();
  const ending = new AbortController();
  // Each model call in flight listens to it, and lets go at its end: many listeners are no leak here.
  setMaxListeners(ACTIVITY_SLOTS, ending.signal);
  const code = await readBundle();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    buildId: buildIdOf(code),
    identity: workerIdentity(),
    workflowBundle: { code },
    activities: activitiesOf(options, {
      settings,
      providers,
      pool,
      secrets,
      offers,
      throttleMs,
      ending: ending.signal,
    }),
    interceptors: { activity: [onlyRuns, redactActivities(secrets)] },
    sinks: {
      steersman: {
        offer: {
          fn: ({ runId }, page, check) => {
            failpoint('request.offer');
            offers.add(runId, page, check);
          },
        },
      },
    } satisfies InjectedSinks<RequestSinks>,
    maxConcurrentActivityTaskExecutions: ACTIVITY_SLOTS,
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASK_SLOTS,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    maxHeartbeatThrottleInterval: throttleMs,
    defaultHeartbeatThrottleInterval: throttleMs,
    ...options.temporal,
  });
  const shutdown = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
    ending.abort(new Error('the worker is ending'));
  };
  return { worker, shutdown, close: () => pool.close() };
}

interface Parts {
  settings: Settings;
  providers: ReturnType<typeof knownProviders>;
  pool: McpPool;
  secrets: Secrets;
  offers: OfferedRequests;
  throttleMs: number;
  /** Aborted when the worker begins to end. */
  ending: AbortSignal;
}

function activitiesOf(options: SteersmanWorkerOptions, parts: Parts): SteersmanActivities {
  const { connection, namespace, configDir, home, localStack } = options;
  const { settings, providers, pool, secrets, offers, throttleMs, ending } = parts;
  const blobDir = join(home, 'blobs');
  const store = createLocalBlobStore(blobDir);
  const blobs: BlobStore = {
    put: (runId, data) => store.put(runId, typeof data === 'string' ? secrets.redact(data) : data),
    read: (...args) => store.read(...args),
  };
  void pruneBlobs(blobDir, settings.blobs.retentionDays);
  const client = temporalClient({ connection, namespace });
  const runOf = (workflowId: string, runId: string) => client.workflow.getHandle(workflowId, runId);
  const askToolRequest = async (callId: string) => {
    await failpoint('state.read');
    const { workflowExecution } = Context.current().info;
    if (!workflowExecution) throw new Error('tool calls are made by a workflow');
    return runOf(workflowExecution.workflowId, workflowExecution.runId).query(toolRequestQuery, callId);
  };
  return {
    steersmanLoadRun: createLoadRun({
      configDir,
      localStack,
      listTools: workspace => listRunTools(pool, workspace),
      modelInfo: pinnedModel,
      searchAttributes: () => readSearchAttributes(connection, namespace),
    }),
    steersmanCallModel: createCallModel({
      providers,
      readState: createStateReader(
        async ({ workflowId, runId, callId }, page) => {
          await failpoint('state.read');
          return runOf(workflowId, runId).query(modelRequestQuery, callId, page);
        },
        {},
        offers,
      ),
      storeText: (_name, text) => blobs.put(runIdOf(), text),
      redact: text => secrets.redact(text),
      live: { throttleMs },
      limits: { stallMs: settings.models.stallMs, firstPartMs: settings.models.firstPartMs },
      shuttingDown: ending,
    }),
    steersmanCallTool: createCallTool({
      pool,
      blobs,
      readArguments: callId => readArguments(askToolRequest, callId),
      openWorkspace: path => checkWorkspace(path, workspaceRoots(settings.workspaces, localStack)),
      deniedTools: deniedTools(configDir, settings),
      sizes: settings.toolResults,
      redact: text => secrets.redact(text),
    }),
    steersmanStoreText: createStoreText(blobs),
  };
}

/** Read anew for each call, as for each run; while the file can't be read, what it said last holds. */
function deniedTools(configDir: string, { permissions }: Settings): () => Promise<readonly string[]> {
  let { deny } = permissions;
  return async () => {
    deny = await loadSettings(configDir).then(
      settings => settings.permissions.deny,
      () => deny,
    );
    return deny;
  };
}

/** Six events of a turn record it, so it is short: the SDK's own makes a turn's history 450 bytes longer. */
function buildIdOf(bundle: string): string {
  return `steersman-${createHash('sha256').update(bundle).digest('hex').slice(0, 12)}`;
}

/** The workflow bundle of the build: bundling at start costs seconds and memory. */
async function readBundle(): Promise<string> {
  const path = builtScript('workflow-bundle.js');
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new SteersmanError(`The workflow bundle ${path} is missing.`, 'Run "npm run build".');
  }
}
