/** The parts of a worker that its activities use: configuration, model providers, tool servers, store. */

import { setMaxListeners } from 'node:events';
import { openStore, storeSpec } from '@steersman/store';
import { dryEdit, toolsOf } from '@steersman/workspace-tools';
import type { ResolveModel } from '../../activities/models/resolve-model.js';
import { OfferedRequests } from '../../activities/models/state-reader.js';
import type { ContextTransform } from '../../activities/models/transform.js';
import type { CheckFunction } from '../../activities/run-check.js';
import type { RunHooks } from '../../activities/run-hooks.js';
import { localToolsDir, settingsFileFor } from '../../config/files/config-dir.js';
import { displayPath, readDotEnv } from '../../config/files/files.js';
import type { ConfigInCode } from '../../config/settings/in-code.js';
import type { Settings } from '../../config/settings/settings.js';
import { loadSettings } from '../../config/settings/settings.js';
import { WORKER_FEATURES } from '../../features/workers.js';
import type { McpConfig } from '../../mcp/connection/config.js';
import { loadMcpConfig, type McpServersInCode } from '../../mcp/connection/config.js';
import { McpPool, type McpPoolOptions } from '../../mcp/connection/pool.js';
import { secretsOfUrl } from '../../mcp/connection/resolve-server.js';
import { McpSessions } from '../../mcp/connection/sessions.js';
import { type CodeTool, checkCodeTools } from '../../mcp/tools/code-tools.js';
import { loadToolFiles } from '../../mcp/tools/tool-files.js';
import { candidates, chooseDefaultModel } from '../../models/default-model.js';
import { NO_ENDPOINT } from '../../models/provider/endpoint.js';
import { type EndpointEntries, keyVariables } from '../../models/provider/endpoints.js';
import { ModelCallError } from '../../models/provider/model-call-error.js';
import type { ModelProvider } from '../../models/provider/provider.js';
import type { ProviderRegistry } from '../../models/provider/providers.js';
import { FAILURE } from '../../run/limits/failure.js';
import { env } from '../../shared/process/env.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { ofThisProcess, type Secrets, type Variables } from '../../shared/secrets.js';
import type { BlobStore } from '../../shared/store/blob-store.js';
import { type Store, textsOfConversation } from '../../shared/store/store.js';
import type { ActivityTool, ReadyActivityTool } from './activity-tools.js';
import { type LiveSettings, liveSettings } from './live-settings.js';
import { type ProviderSource, providerSource } from './providers.js';
import { type ReadyCall, readyWorkflowTools, type WorkflowTool } from './workflow-tools.js';

const LIVE_TEXT_LOCAL_MS = 250;
const LIVE_TEXT_REMOTE_MS = 1_000;

export interface SteersmanPluginOptions extends ConfigInCode {
  /**
   * Folder of `steersman.yaml`, `.mcp.json` and `prompts`. Default: no folder; then the options set here apply, and the
   * prompts that come with Steersman.
   */
  configDir?: string;
  /** Folder for large results, which all workers of a queue must share. Default: the local stack's. */
  home?: string;
  /** Tool servers in addition to those of `.mcp.json`, in the same form. Default: `{}`. */
  mcpServers?: McpServersInCode;
  /** Tools that the program defines. Default: `[]`. */
  tools?: readonly CodeTool[];
  /**
   * Activities of the worker that runs may call as tools: a run's workflow calls them directly, on the same task queue.
   * Default: `[]`.
   */
  activityTools?: readonly ActivityTool[];
  /** The application's workflows that runs may call as tools: a run starts one as its child. Default: `[]`. */
  workflowTools?: readonly WorkflowTool[];
  /** Functions that check goals, by name: a start names one as `{ function: name }` among its `checks`. Default: `{}`. */
  checks?: Readonly<Record<string, CheckFunction>>;
  /** Called at the end of each turn, for each message, at errors, and at the end of a run. Default: no hooks. */
  hooks?: RunHooks;
  /** Model providers of the program, in addition to the endpoints of `steersman.yaml`. Default: `[]`. */
  providers?: readonly ModelProvider[];
  /**
   * Chooses the model before each call, with priority over chains and rows. If it throws, or returns a model that is
   * not configured, the chain applies, with a warning in the journal. Default: not called.
   */
  resolveModel?: ResolveModel;
  /**
   * Functions that may change a conversation before a model call, by name; `context.transforms` of `steersman.yaml`
   * says which are called, and when. Default: `{}`.
   */
  transforms?: Readonly<Record<string, ContextTransform>>;
  /** Receives occasional lines for people, for example about runs taken over. Default: the SDK's logger. */
  report?: (line: string) => void;
}

/** Options that only Steersman's own workers set. */
export interface OwnWorkerOptions {
  localStack?: boolean;
  /** True for a background worker of the local stack: it starts without a key, for the demo model. */
  servesDemo?: boolean;
  /** True if the folder's own `tools/` are loaded. Default false. */
  toolFiles?: boolean;
  /** True if it takes over from killed workers of this machine. Default true. */
  takesOver?: boolean;
  /** Returns true if the configuration folder is trusted in its current state. Default: true, because it was named. */
  isTrusted?: () => boolean;
}

export interface PartsOptions
  extends Omit<SteersmanPluginOptions, 'configDir' | 'activityTools'>,
    Omit<OwnWorkerOptions, 'takesOver'> {
  /** Null without a folder. */
  configDir: string | null;
  home: string;
  localStack: boolean;
  activityTools?: readonly ReadyActivityTool[];
}

export interface Parts {
  /** Returns why a call of `edit` can't be applied; null if it can. */
  dryEdit(workspace: string, args: Record<string, unknown>): Promise<string | null>;
  options: PartsOptions;
  settings: Settings;
  /** The current settings of the file, for changes that apply at once. */
  liveSettings: LiveSettings;
  providersOf: ProviderSource;
  /** Returns the model of roles without a configured model. @throws SteersmanError if there is no such model. */
  defaultModel(models: Settings['models']): Promise<string>;
  pool: McpPool;
  sessions: McpSessions;
  activityTools: readonly ReadyActivityTool[];
  workflowTools: readonly ReadyCall[];
  /** Texts of the store, with known secrets removed. A run can read texts of its conversation. */
  blobs: BlobStore;
  /** The store of texts and accounts, and of conversations if they are stored. */
  store: Store;
  /** True if conversations are stored. */
  keeps: boolean;
  /** Id of the served namespace; null until the worker runs, or if it is unknown. */
  namespaceId: Promise<string | null>;
  secrets: Secrets;
  offers: OfferedRequests;
  /** Pause between two heartbeats with live text, milliseconds. */
  throttleMs: number;
  /** Aborted when the worker begins to end: this aborts model calls. */
  ending: AbortController;
}

/** Loads the parts. @throws SteersmanError if the configuration is wrong or no model is usable. */
export async function loadParts(options: PartsOptions): Promise<Parts> {
  const { configDir, home, localStack, servesDemo = false, tools = [], activityTools = [] } = options;
  const codeTools = [...tools, ...(await toolsOfFiles(options))];
  const workflowTools = readyWorkflowTools(options.workflowTools ?? []);
  checkCodeTools([...codeTools, ...[...activityTools, ...workflowTools].map(({ definition }) => definition)]);
  const { transforms = {} } = options;
  const settings = await loadSettings(configDir, { ...options, transforms });
  const providersOf = providerSource(options.providers);
  const { providers: given = [] } = options;
  const answers = given.length > 0 || candidates(settings.models.endpoints, env.lookup).length > 0;
  checkModels(settings, providersOf(settings.models), { configDir, servesDemo, answers });
  const file = displayPath(settingsFileFor(configDir ?? '.'));
  const toolsDir = servesDemo && configDir !== null ? localToolsDir(configDir) : configDir;
  const mcpConfig = loadMcpConfig(toolsDir, options.mcpServers);
  const secrets = knownSecrets(configDir, mcpConfig, settings.models.endpoints);
  const ending = new AbortController();
  // Each model call in flight adds a listener and removes it at its end: many listeners are not a leak.
  setMaxListeners(0, ending.signal);
  const readKept: BlobStore['read'] = (...asked) => parts.blobs.read(...asked);
  const denied = async () => (await parts.liveSettings.readOrLast()).permissions.deny;
  const pool = toolPool({ config: mcpConfig, codeTools }, { readKept, denied, home });
  const store = openStore(storeSpec(settings.store, env.lookup), {
    home,
    namespaceId: () => parts.namespaceId,
    ...(options.report && { report: options.report }),
  });
  const ofFeatures = WORKER_FEATURES.flatMap(feature => feature.secretVariables?.(settings) ?? []);
  for (const name of [settings.store.urlVariable, ...ofFeatures]) secrets.add(name, env.lookup(name) ?? '');
  const parts: Parts = {
    options,
    dryEdit: (workspace, args) => dryEdit({ workspace, denied, home }, args),
    settings,
    liveSettings: liveSettings({ ...options, transforms }, settings),
    providersOf,
    defaultModel: async ({ endpoints }) =>
      (await chooseDefaultModel(endpoints, { lookup: env.lookup, file, given })).id,
    pool,
    sessions: new McpSessions(pool),
    activityTools,
    workflowTools,
    blobs: redactedBlobs(
      store.texts,
      secrets,
      textsOfConversation(store.texts, store.sessions, () => parts.namespaceId),
    ),
    store,
    keeps: settings.store.kind !== 'none',
    namespaceId: Promise.resolve(null),
    secrets,
    offers: new OfferedRequests(),
    throttleMs: settings.liveText.throttleMs ?? (localStack ? LIVE_TEXT_LOCAL_MS : LIVE_TEXT_REMOTE_MS),
    ending,
  };
  return parts;
}

/** Makes a pool whose workspace tools run in this process. */
export function toolPool(
  given: Pick<McpPoolOptions, 'config' | 'codeTools'>,
  here: Parameters<typeof toolsOf>[0],
): McpPool {
  return new McpPool({ ...given, lookup: env.lookup, toolsHere: toolsOf(here) });
}

async function toolsOfFiles({ configDir, toolFiles, isTrusted }: PartsOptions): Promise<CodeTool[]> {
  if (toolFiles !== true || configDir === null || isTrusted?.() === false) return [];
  return loadToolFiles(configDir);
}

function redactedBlobs(store: BlobStore, secrets: Secrets, read: BlobStore['read']): BlobStore {
  return {
    put: (runId, data) => store.put(runId, typeof data === 'string' ? secrets.redact(data) : data),
    read,
  };
}

// The secrets that this worker knows: its environment, `.env`, and values for tool servers and model endpoints.

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}/g;

export function knownSecrets(
  configDir: string | null,
  { servers }: McpConfig,
  endpoints: EndpointEntries,
): Secrets {
  const secrets = ofThisProcess();
  if (configDir !== null) secrets.addDotEnv(dotEnvOf(configDir), 'worker');
  for (const name of keyVariables(endpoints)) secrets.add(name, env.lookup(name) ?? '');
  for (const server of servers) {
    for (const [, name = ''] of JSON.stringify(server).matchAll(VARIABLE)) {
      if (name !== 'workspace') secrets.add(name, env.lookup(name) ?? '');
    }
    if (server.type === 'stdio') secrets.addVariables(server.env);
    else {
      for (const [name, value] of Object.entries(server.headers)) addLiteral(secrets, name, value);
      for (const value of secretsOfUrl(server.url)) addLiteral(secrets, `${server.name}.url`, value);
    }
  }
  return secrets;
}

/** Returns the variables of a folder's `.env`; empty if it is unreadable, and thus can't leak from here. */
export function dotEnvOf(dir: string): Variables {
  try {
    return readDotEnv(dir);
  } catch {
    return {};
  }
}

/** Adds a literal value that is not a variable; also without a scheme before it, such as `Bearer …`. */
function addLiteral(secrets: Secrets, name: string, value: string): void {
  // URLs encode the brace.
  if (/\$(?:\{|%7B)/.test(value)) return;
  secrets.add(name, value);
  secrets.add(name, value.slice(value.lastIndexOf(' ') + 1));
}

// A worker without a usable model refuses to start, because every run that it takes would fail.

export interface ModelCheck {
  configDir: string | null;
  /**
   * True for a background worker of the local stack, which also serves runs of the demo model: it starts even if a key
   * is missing. Runs of other models fail and say what to set.
   */
  servesDemo: boolean;
  /** True if there is an endpoint for roles without a configured model. */
  answers: boolean;
}

/** Resolves the provider of every configured model. Throws a SteersmanError that says what to set. */
export function checkModels(
  settings: { models: Pick<Settings['models'], 'default' | 'roles' | 'resolver'> },
  providers: ProviderRegistry,
  { configDir, servesDemo, answers }: ModelCheck,
): void {
  const { models } = settings;
  const named = [
    ...new Set([
      ...(models.default ?? []),
      ...Object.values(models.roles).flat(),
      ...models.resolver.flatMap(({ use }) => use),
    ]),
  ];
  if (named.length === 0 && configDir !== null && !answers && !servesDemo)
    throw new SteersmanError(`This worker cannot call any model: ${NO_ENDPOINT}.`, SET_A_KEY);
  for (const model of named) {
    try {
      providers.resolve(model);
    } catch (error) {
      if (!(error instanceof ModelCallError)) throw error;
      if (servesDemo && error.type === FAILURE.model.auth) continue;
      throw new SteersmanError(
        `The model ${model} of ${configDir === null ? 'settings' : `${configDir}/steersman.yaml`} is not usable: ${error.message}`,
        error.type === FAILURE.model.auth ? SET_A_KEY : NAME_ANOTHER,
      );
    }
  }
}

const NAME_ANOTHER = 'Name another model under "models" in steersman.yaml.';
/** The error itself names the missing variables, which the provider knows. */
const SET_A_KEY =
  'Variables may stand in .env or the environment. Or name another model under "models" in steersman.yaml (demo works without a key: rules, not intelligence).';
