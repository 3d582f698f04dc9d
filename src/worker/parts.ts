/** What a worker's activities work with: configuration, model providers, tool servers, blob store. */
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { ResolveModel } from '../activities/resolve-model.js';
import { OfferedRequests } from '../activities/state-reader.js';
import { type BlobStore, createLocalBlobStore } from '../blobs/blob-store.js';
import { localToolsDir } from '../config/config-dir.js';
import type { ConfigInCode } from '../config/in-code.js';
import { loadSettings, type Settings } from '../config/settings.js';
import { type CodeTool, checkCodeTools } from '../mcp/code-tools.js';
import { loadMcpConfig, type McpServersInCode } from '../mcp/config.js';
import { McpPool } from '../mcp/pool.js';
import { McpSessions } from '../mcp/sessions.js';
import { loadToolFiles } from '../mcp/tool-files.js';
import type { ModelProvider } from '../models/provider.js';
import { env } from '../shared/env.js';
import type { Secrets } from '../shared/secrets.js';
import type { ReadyActivityTool } from './activity-tools.js';
import { checkModels } from './check-models.js';
import { knownSecrets } from './known-secrets.js';
import { type LiveSettings, liveSettings } from './live-settings.js';
import { type ProviderSource, providerSource } from './providers.js';
import { type ReadyWorkflowTool, readyWorkflowTools, type WorkflowTool } from './workflow-tools.js';

const LIVE_TEXT_LOCAL_MS = 250;
const LIVE_TEXT_REMOTE_MS = 1_000;

export interface PartsOptions extends ConfigInCode {
  /** Folder of `steersman.yaml`, `.mcp.json` and `prompts`; null for none. */
  configDir: string | null;
  /** Folder for blobs. */
  home: string;
  /** True on the local stack: any workspace is served, live text is brisk. */
  localStack: boolean;
  /** True in the background of the local stack: the worker starts without a key, for the rehearsal model. Default false. */
  servesRehearsal?: boolean;
  /** Tool servers beside those of `.mcp.json`. Default: none. */
  mcpServers?: McpServersInCode;
  /** Tools of the program itself. Default: none. */
  tools?: readonly CodeTool[];
  /** The folder's own `tools/` are loaded, where it is trusted. Default false: a program gives its tools itself. */
  toolFiles?: boolean;
  /** Activities of the application as tools. Default: none. */
  activityTools?: readonly ReadyActivityTool[];
  /** Workflows of the application as tools. Default: none. */
  workflowTools?: readonly WorkflowTool[];
  /** Model providers of the program itself, beside the endpoints of `steersman.yaml`. Default: none. */
  providers?: readonly ModelProvider[];
  /** Chooses the model before each call. Default: chains and rows do. */
  resolveModel?: ResolveModel;
  /** Whether the folder is trusted as it is now. Default: it is, for it was named. */
  isTrusted?: () => boolean;
  /** Gets a line for people. Default: nobody does. */
  report?: (line: string) => void;
}

export interface Parts {
  options: PartsOptions;
  settings: Settings;
  /** As the file says them now: for what an edit changes at once. */
  liveSettings: LiveSettings;
  providersOf: ProviderSource;
  pool: McpPool;
  sessions: McpSessions;
  activityTools: readonly ReadyActivityTool[];
  workflowTools: readonly ReadyWorkflowTool[];
  blobs: BlobStore;
  /** Folder of the store. */
  blobDir: string;
  /** Of the namespace that it serves, once it serves. */
  namespaceId: Promise<string | null>;
  secrets: Secrets;
  offers: OfferedRequests;
  /** Pause between two heartbeats with live text. */
  throttleMs: number;
  /** Aborted when the worker begins to end: model calls in flight are given up. */
  ending: AbortController;
}

/** @throws SteersmanError where the configuration is wrong or no model is usable. */
export async function loadParts(options: PartsOptions): Promise<Parts> {
  const { configDir, home, localStack, servesRehearsal = false, tools = [], activityTools = [] } = options;
  const codeTools = [...tools, ...(await toolsOfFiles(options))];
  const workflowTools = readyWorkflowTools(options.workflowTools ?? []);
  checkCodeTools([...codeTools, ...[...activityTools, ...workflowTools].map(({ definition }) => definition)]);
  const settings = await loadSettings(configDir, options);
  const providersOf = providerSource(options.providers);
  checkModels(settings, providersOf(settings.models), { configDir, servesRehearsal });
  const toolsDir = servesRehearsal && configDir !== null ? localToolsDir(configDir) : configDir;
  const mcpConfig = loadMcpConfig(toolsDir, options.mcpServers);
  const secrets = knownSecrets(configDir, mcpConfig, settings.models.endpoints);
  const ending = new AbortController();
  // Each model call in flight listens to it, and lets go at its end: many listeners are no leak here.
  setMaxListeners(0, ending.signal);
  const pool = new McpPool({ config: mcpConfig, lookup: env.lookup, codeTools });
  const blobDir = join(home, 'blobs');
  const parts: Parts = {
    options,
    settings,
    liveSettings: liveSettings(options, settings),
    providersOf,
    pool,
    sessions: new McpSessions(pool),
    activityTools,
    workflowTools,
    blobs: redactedBlobs(
      createLocalBlobStore(blobDir, () => parts.namespaceId),
      secrets,
    ),
    blobDir,
    namespaceId: Promise.resolve(null),
    secrets,
    offers: new OfferedRequests(),
    throttleMs: settings.liveText.throttleMs ?? (localStack ? LIVE_TEXT_LOCAL_MS : LIVE_TEXT_REMOTE_MS),
    ending,
  };
  return parts;
}

async function toolsOfFiles({ configDir, toolFiles, isTrusted }: PartsOptions): Promise<CodeTool[]> {
  if (toolFiles !== true || configDir === null || isTrusted?.() === false) return [];
  return loadToolFiles(configDir);
}

function redactedBlobs(store: BlobStore, secrets: Secrets): BlobStore {
  return {
    put: (runId, data) => store.put(runId, typeof data === 'string' ? secrets.redact(data) : data),
    read: (...args) => store.read(...args),
  };
}
