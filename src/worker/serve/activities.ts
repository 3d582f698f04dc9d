/** Creates the activities of a worker from its parts. */

import { Context } from '@temporalio/activity';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import { createCheckCall, createCompareFile } from '../../activities/check-call.js';
import type { WorkerParts } from '../../activities/feature.js';
import { createKeeping, type Keeping } from '../../activities/keep.js';
import { createLoadRun } from '../../activities/load/load-run.js';
import { createLook, listFiles } from '../../activities/looks/look.js';
import { shareWork } from '../../activities/looks/share-work.js';
import { createCallModel } from '../../activities/models/call-model.js';
import { createResolveModel } from '../../activities/models/resolve-model.js';
import { createStateReader } from '../../activities/models/state-reader.js';
import { createTransform } from '../../activities/models/transform.js';
import { createOpenSession, OPEN_TRIES } from '../../activities/open-session.js';
import { createRunCheck } from '../../activities/run-check.js';
import { createStoreText, runIdOf } from '../../activities/store-text.js';
import { createTell } from '../../activities/tell.js';
import { createCallTool } from '../../activities/tools/call-tool.js';
import type { SteersmanActivities } from '../../activities/types.js';
import { withTries } from '../../activities/with-tries.js';
import { headChars } from '../../base/text/large-text.js';
import { checkWorkspace, workspaceRoots } from '../../config/files/workspace.js';
import { readOldContent } from '../../config/old-content.js';
import { commandFault } from '../../config/settings/settings.js';
import { OWN_TOOLS, WORKER_FEATURES } from '../../features/workers.js';
import { listRunTools } from '../../mcp/tools.js';
import { SEARCH_ATTRIBUTES } from '../../rules/steering/search-attributes.js';
import { env } from '../../shared/process/env.js';
import { failpoint } from '../../shared/process/failpoints.js';
import type { SessionStore } from '../../shared/store/store.js';
import {
  keepPageQuery,
  messagesQuery,
  modelRequestQuery,
  toolRequestQuery,
} from '../../workflows/run/definitions.js';
import type { Parts } from '../parts/parts.js';
import { pinnedFacts } from '../parts/providers.js';
import { keepLateRun } from './late-runs.js';
import { personAsker } from './person-asker.js';
import { readArguments } from './read-arguments.js';

export function createActivities(parts: Parts): SteersmanActivities {
  const keeping = keepingOf(parts);
  const { openWorkspace, redact } = allowedBy(parts);
  const look = createLook({ blobs: parts.blobs, redact, openWorkspace });
  return {
    ...runActivities(parts, keeping, look),
    steersmanLook: look,
    ...modelActivities(parts),
    ...toolActivities(parts),
    ...checkActivities(parts),
    ...storeActivities(parts, keeping),
    ...featureActivities(parts),
  };
}

type ActivitiesOf<K extends keyof SteersmanActivities> = Pick<SteersmanActivities, K>;

function runActivities(
  parts: Parts,
  keeping: Keeping,
  look: SteersmanActivities['steersmanLook'],
): ActivitiesOf<'steersmanLoadRun' | 'steersmanHook'> {
  const { options, pool } = parts;
  const { configDir, localStack } = options;
  const readSearchAttributes = searchAttributeReader();
  return {
    steersmanLoadRun: createLoadRun({
      configDir,
      inCode: options,
      loadSettings: () => parts.liveSettings.read(),
      localStack,
      keeps: parts.keeps,
      readListing: keeping.readListing,
      lookAtStart: workspace => look({ at: 'start', workspace }),
      beside: { features: WORKER_FEATURES, parts: workerParts(parts), ownTools: OWN_TOOLS },
      asksProgram: options.resolveModel !== undefined,
      listTools: workspace =>
        listRunTools(
          pool,
          workspace,
          [...parts.activityTools, ...parts.workflowTools].map(({ definition }) => definition),
          { keeps: parts.keeps },
        ),
      modelInfo: (id, models) => pinnedFacts(id, models, options.providers),
      defaultModel: parts.defaultModel,
      listFiles: shareWork(listFiles),
      searchAttributes: () => readSearchAttributes(Context.current().client),
    }),
    steersmanHook: withTries(
      3,
      createTell(WORKER_FEATURES.flatMap(feature => feature.hears?.(workerParts(parts)) ?? [])),
    ),
  };
}

function modelActivities(
  parts: Parts,
): ActivitiesOf<'steersmanCallModel' | 'steersmanResolveModel' | 'steersmanTransform'> {
  const { options, settings, providersOf, blobs, secrets, offers, throttleMs, ending } = parts;
  const readState = createStateReader(
    async ({ callId }, page) => {
      await failpoint('state.read');
      return ownRun().query(modelRequestQuery, callId, page);
    },
    {},
    offers,
  );
  return {
    steersmanCallModel: createCallModel({
      providers: {
        resolve: async model => providersOf((await parts.liveSettings.readOrLast()).models).resolve(model),
      },
      readState,
      storeText: (_name, text) => blobs.put(runIdOf(), text),
      readBlob: async (ref, length) =>
        (await blobs.read(runIdOf(), ref, { offset: 0, length }))?.data ?? null,
      redact: text => secrets.redact(text),
      live: { throttleMs },
      limits: { stallMs: settings.models.stallMs, firstPartMs: settings.models.firstPartMs },
      shuttingDown: ending.signal,
    }),
    steersmanResolveModel: createResolveModel(options.resolveModel),
    steersmanTransform: createTransform({
      transforms: options.transforms ?? {},
      readState,
      redact: value => secrets.redactAll(value),
    }),
  };
}

const MOST_WHY_CHARS = 4_000;

function toolActivities(
  parts: Parts,
): ActivitiesOf<'steersmanCallTool' | 'steersmanCheckCall' | 'steersmanCompareFile'> {
  const { settings, pool, sessions, blobs } = parts;
  const { openWorkspace, deniedTools, redact } = allowedBy(parts);
  return {
    steersmanCallTool: createCallTool({
      pool,
      sessions,
      blobs,
      ...(parts.keeps && {
        kept: { sessions: parts.store.sessions, namespaceId: () => parts.namespaceId },
      }),
      askPerson: () => personAsker(ownRun(), Context.current().info.attempt),
      readArguments: argumentsOf,
      openWorkspace,
      deniedTools,
      sizes: settings.toolResults,
      redact,
    }),
    steersmanCheckCall: createCheckCall({
      readArguments: argumentsOf,
      openWorkspace,
      deniedTools,
      parsers: new Map(parts.workflowTools.map(({ definition, parse }) => [definition.name, parse])),
    }),
    steersmanCompareFile: createCompareFile({
      readArguments: argumentsOf,
      openWorkspace,
      readOld: readOldContent,
      editFault: async (workspace, args) => {
        const why = await parts.dryEdit(workspace, args);
        // The reason quotes the file, like a tool's result, so secrets are removed from it.
        return why === null ? null : headChars(redact(why), MOST_WHY_CHARS);
      },
    }),
  };
}

function checkActivities(parts: Parts): ActivitiesOf<'steersmanRunCheck' | 'steersmanFolders'> {
  const { options, secrets } = parts;
  const { openWorkspace, redact } = allowedBy(parts);
  return {
    steersmanRunCheck: createRunCheck({
      openWorkspace,
      commandFault: async (command, workspace) =>
        commandFault(command, {
          workspace,
          localStack: options.localStack,
          settings: await parts.liveSettings.readOrLast(),
        }),
      functions: options.checks ?? {},
      redact,
      redactPiece: piece => secrets.redactPiece(piece),
    }),
    steersmanFolders: async () => [...parts.settings.workspaces],
  };
}

/** A run that began with a store may reach a worker that has no store: it records a failure and continues. */
function sessionsOf(parts: Parts): SessionStore {
  return parts.keeps ? parts.store.sessions : NO_STORE;
}

function keepingOf(parts: Parts): Keeping {
  return createKeeping({
    sessions: sessionsOf(parts),
    namespaceId: () => parts.namespaceId,
    readPage: (after, upTo) => ownRun().query(keepPageQuery, after, upTo),
    redact: value => parts.secrets.redactAll(value),
  });
}

function storeActivities(
  parts: Parts,
  { steersmanKeep }: Keeping,
): ActivitiesOf<'steersmanStoreText' | 'steersmanKeep' | 'steersmanOpenSession'> {
  const { blobs } = parts;
  return {
    steersmanStoreText: withTries(3, createStoreText(blobs)),
    steersmanKeep,
    steersmanOpenSession: withTries(
      OPEN_TRIES,
      createOpenSession({
        sessions: sessionsOf(parts),
        namespaceId: () => parts.namespaceId,
        keepLate: workflowId => keepLateRun(Context.current().client, parts, workflowId),
      }),
    ),
  };
}

/** Activities of features by their types on the wire: see `features/workers.ts`. */
function featureActivities(parts: Parts): Record<string, (input: never) => Promise<unknown>> {
  const all = WORKER_FEATURES.flatMap(({ activities = {} }) => Object.entries(activities));
  return Object.fromEntries(all.map(([type, create]) => [type, create(workerParts(parts))]));
}

function workerParts(parts: Parts): WorkerParts {
  const { deniedTools } = allowedBy(parts);
  const { options, settings, blobs, store, secrets } = parts;
  const { configDir, skills = [], isTrusted = () => true } = options;
  return {
    ...{ blobs, accounts: store.accounts, settings, hooks: options.hooks ?? {} },
    ...{ readArguments: argumentsOf, deniedTools, lookup: env.lookup },
    ...{ configDir, isTrusted, skills },
    readMessages: ids => ownRun().query(messagesQuery, ids),
    redact: value => secrets.redactAll(value),
  };
}

/** The permissions and redaction of a worker's settings. */
function allowedBy({ options: { localStack }, settings, liveSettings, secrets }: Parts) {
  return {
    openWorkspace: (path: string) => checkWorkspace(path, workspaceRoots(settings.workspaces, localStack)),
    deniedTools: async () => (await liveSettings.readOrLast()).permissions.deny,
    redact: (text: string) => secrets.redact(text),
  };
}

const noStore = () =>
  Promise.reject(new Error('this worker has no store: store.kind is none in its steersman.yaml'));
const NO_STORE: SessionStore = {
  keep: noStore,
  runs: noStore,
  find: noStore,
  read: noStore,
  readEach: noStore,
  line: noStore,
  list: noStore,
  search: noStore,
  branches: noStore,
  branch: noStore,
  remove: noStore,
};

/** Returns the activity's run, by the worker's own client, which encodes payloads as the worker does. */
function ownRun(): WorkflowHandle {
  const { client, info } = Context.current();
  return client.workflow.getHandle(runIdOf(), info.workflowExecution?.runId);
}

async function askToolRequest(callId: string): Promise<Record<string, unknown>> {
  await failpoint('state.read');
  return ownRun().query(toolRequestQuery, callId);
}

const argumentsOf = (callId: string) => readArguments(askToolRequest, callId);

/** Runs that start at the same time share one request. */
const ATTRIBUTES_MS = 10_000;

/** Returns which of Steersman's search attributes a namespace has: setting a missing one would block a run forever. */
export function searchAttributeReader(): (client: Client) => Promise<string[]> {
  const known = new LRUCache<string, string[], Client>({
    max: 1,
    ttl: ATTRIBUTES_MS,
    fetchMethod: async (namespace, _stale, { context: { connection } }) => {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      return SEARCH_ATTRIBUTES.filter(name => customAttributes && name in customAttributes);
    },
  });
  return async client => (await known.fetch(client.options.namespace, { context: client })) ?? [];
}
