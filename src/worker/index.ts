/** `steersman/worker`: workers that serve runs, with tools, roles, contexts and models of the program's own. */
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { env } from '../shared/process/env.js';
import { DEFAULT_TASK_QUEUE } from '../workflows/run/definitions.js';
import { nativeConnection } from './connect.js';
import type { SteersmanPluginOptions } from './parts/parts.js';
import { SteersmanPlugin } from './plugin.js';

export type { ResolveModel } from '../activities/models/resolve-model.js';
export type { AskedContext, ContextTransform } from '../activities/models/transform.js';
export { type CheckedGoal, type CheckFunction, type CheckVerdict, check } from '../activities/run-check.js';
export type { EndedRun, EndedTurn, FailedModel, RunHooks, SaidMessage } from '../activities/run-hooks.js';
export type { RoleInCode, SettingsInCode } from '../config/in-code.js';
export { type CodeTool, defineTool, type ToolContext } from '../mcp/tools/code-tools.js';
export { complete } from '../models/complete.js';
export { createProvider } from '../models/protocols.js';
export type { EndpointSettings } from '../models/provider/endpoint.js';
export { ModelCallError } from '../models/provider/model-call-error.js';
export type { ModelDelta, ModelProvider, ModelRequest } from '../models/provider/provider.js';
export { SteersmanError } from '../shared/process/errors.js';
export type { SteersmanPluginOptions } from './parts/parts.js';
export { SteersmanPlugin } from './plugin.js';
export { type ActivityTool, toolCall } from './serve/activity-tools.js';
export type { WorkflowTool } from './serve/workflow-tools.js';

export interface CreateWorkerOptions extends SteersmanPluginOptions {
  /** Default `steersman`. */
  taskQueue?: string;
  /** Stays open when the worker ends. Default: a new one to `address`. */
  connection?: NativeConnection;
  /** Of the application's own, beside ours. Default: none. */
  activities?: object;
  /** Of Temporal, `host:port`. Default: what the environment and Temporal's profiles say, else `localhost:7233`. */
  address?: string;
  /** Default: that of the environment or profile, else `default`. */
  namespace?: string;
}

/**
 * A worker for runs alone; `run()` serves until `shutdown()` or a signal. In an application that has a worker
 * already, give that one a `SteersmanPlugin` instead.
 * @throws SteersmanError where the configuration is wrong or no model is usable.
 */
export async function createWorker(options: CreateWorkerOptions = {}): Promise<Worker> {
  const {
    taskQueue = DEFAULT_TASK_QUEUE,
    connection: given,
    address,
    namespace,
    activities,
    ...own
  } = options;
  const profile = loadClientConnectConfig();
  // Keys of a profile are for its own server.
  const there = address === undefined ? profile.connectionOptions : { address };
  const connection = given ?? (await nativeConnection(there));
  const close = async () => {
    if (given === undefined) await connection.close();
  };
  try {
    return await Worker.create({
      connection,
      namespace: namespace ?? profile.namespace ?? env.temporalNamespace() ?? 'default',
      taskQueue,
      ...(activities && { activities }),
      plugins: [
        { name: 'steersman-connection', runWorker: (worker, next) => next(worker).finally(close) },
        new SteersmanPlugin(own),
      ],
    });
  } catch (error) {
    await close();
    throw error;
  }
}
export { OWN_TOOLS } from '../features/workers.js';
export { hasDied, isStopped } from './identity.js';
export { providerSource } from './parts/providers.js';
export { type RecordedHistory, type ReplayOptions, replays } from './replay.js';
