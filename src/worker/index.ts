/** `steersman/worker`: workers that serve runs, with the program's own tools, roles, contexts and models. */
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
export type { EndedRun, EndedTurn, FailedModel, HookMessage, RunHooks } from '../activities/run-hooks.js';
export type { RoleInCode, SettingsInCode } from '../config/settings/in-code.js';
export { type CodeTool, defineTool, type ToolContext } from '../mcp/tools/code-tools.js';
export { type Completion, type CompletionOptions, complete } from '../models/complete.js';
export { createProvider } from '../models/protocols.js';
export type { EndpointSettings } from '../models/provider/endpoint.js';
export { ModelCallError } from '../models/provider/model-call-error.js';
export { type ModelInfo, modelInfo } from '../models/provider/model-info.js';
export type {
  CompletionRequest,
  EndpointProvider,
  ModelDelta,
  ModelProvider,
  ModelRequest,
} from '../models/provider/provider.js';
export { estimateMessageTokens, estimateTokens } from '../run/limits/tokens.js';
export { SteersmanError } from '../shared/process/errors.js';
export {
  type CalledTool,
  type OpenToolsOptions,
  openTools,
  type ToolCallOptions,
  type Tools,
  type ToolsHere,
} from './open-tools.js';
export { type ActivityTool, toolCall } from './parts/activity-tools.js';
export type { SteersmanPluginOptions } from './parts/parts.js';
export type { WorkflowTool } from './parts/workflow-tools.js';
export { SteersmanPlugin } from './plugin.js';

export interface CreateWorkerOptions extends SteersmanPluginOptions {
  /** Default `steersman`. */
  taskQueue?: string;
  /** A connection that stays open when the worker ends. Default: a new one to `address`. */
  connection?: NativeConnection;
  /** The application's own activities, besides Steersman's. Default: `{}`. */
  activities?: object;
  /** Temporal's address, `host:port`. Default: from the environment and Temporal's profiles, else `localhost:7233`. */
  address?: string;
  /** Default: from the environment or profile, else `default`. */
  namespace?: string;
}

/**
 * Creates a worker that serves only runs; `run()` serves until `shutdown()` or a signal. An application that already
 * has a worker passes a `SteersmanPlugin` to that instead.
 * @throws SteersmanError if the configuration is wrong or no model is usable.
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
  // Keys of a profile are only sent to the profile's own server.
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
