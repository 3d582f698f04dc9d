/** Runs all checks of the doctor, in the order in which faults should be repaired. */

import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isAtLeast } from '@steersman/stack';
import { openStore, storeSpec } from '@steersman/store';
import { explainError } from 'steersman/client';
import { displayPath, dotEnvHint, settingsFileFor, settingsOfAny } from 'steersman/config';
import { loadToolFiles } from 'steersman/mcp';
import {
  candidates,
  chooseDefaultModel,
  DEMO,
  endpointFault,
  endpointNames,
  presentEndpoints,
  SET_AN_ENDPOINT,
  splitModelId,
} from 'steersman/models';
import type { Report } from 'steersman/shared';
import { env, resolveHome, tryBlobStore, usesLocalStack } from 'steersman/shared';
import { providerSource } from 'steersman/worker';
import { DEFAULT_TASK_QUEUE } from 'steersman/workflow';
import {
  type Configuration,
  checkConfiguration,
  checkWorkspaceFolder,
  digestFinding,
} from './check-configuration.js';
import { checkEndpoints, checkModels } from './check-models.js';
import { checkTemporal } from './check-temporal.js';
import { checkToolServers } from './check-tool-servers.js';
import { type Finding, failed, failedBy, ok, skipped, warning } from './finding.js';

export interface ExamineOptions {
  /** Folder of `steersman.yaml`, `.mcp.json` and prompts. Absolute. */
  configDir: string;
  /** Folder for which tool servers are started. Absolute. */
  workspace: string;
  taskQueue: string;
  /** Repairs what it can: registers search attributes, fetches the Temporal CLI. */
  fix: boolean;
  report: Report;
}

export async function* examine(options: ExamineOptions): AsyncGenerator<Finding> {
  const { taskQueue, fix, report } = options;
  const home = resolveHome();
  const temporal = orFailed('Temporal', checkTemporal({ home, taskQueue, fix, report }));
  const localStack = usesLocalStack();
  const standIn = await standInOf(options.configDir, localStack);
  const configuration = await checkConfiguration(options.configDir, {
    localStack,
    ownWorker: !localStack || taskQueue !== DEFAULT_TASK_QUEUE,
    standIn: standIn.id,
  });
  const rest = [
    checkFolder(options, configuration),
    temporal,
    orFailed('model', modelFindings(options, configuration, standIn)),
    orFailed('tools', toolFindings(options, configuration)),
    orFailed('large results', textFindings(configuration, home)),
    orFailed('conversations', storeFindings(configuration, home)),
  ];
  yield checkNode();
  yield* configuration.findings;
  yield digestFinding(options.configDir);
  for (const group of rest) yield* await group;
}

/** An exception in one check becomes a finding, so that the findings of other checks are still shown. */
function orFailed(check: string, findings: Promise<Finding[]>): Promise<Finding[]> {
  return findings.catch((error: unknown) => [failedBy(check, explainError(error) ?? error)]);
}

async function checkFolder({ workspace }: ExamineOptions, { settings }: Configuration): Promise<Finding[]> {
  if (settings === null) return [skipped('workspace', 'this check needs a valid steersman.yaml')];
  return [await checkWorkspaceFolder(workspace, settings, usesLocalStack())];
}

/** The model for roles without a configured model; `fault`: why `endpoint` gives no such model. */
interface StandIn {
  id?: string;
  endpoint?: string | undefined;
  fault?: Finding;
}

/** Chooses the model as a start does. Faults of the file are reported by its own check. */
async function standInOf(configDir: string, localStack: boolean): Promise<StandIn> {
  const read = await settingsOfAny(configDir).catch(() => null);
  if (read === null) return {};
  const { endpoints, default: usual } = read.settings.models;
  if (localStack && presentEndpoints(endpoints, env.lookup).length === 0) return { id: DEMO };
  if (usual !== undefined) return {};
  const file = displayPath(settingsFileFor(configDir));
  return chooseDefaultModel(endpoints, { lookup: env.lookup, file }).catch((error: unknown) => ({
    endpoint: candidates(endpoints, env.lookup)[0]?.endpoint,
    fault: failedBy('model', error),
  }));
}

async function modelFindings(
  { configDir }: ExamineOptions,
  { models, settings }: Configuration,
  { id: standIn, endpoint, fault }: StandIn,
): Promise<Finding[]> {
  if (models === null || settings === null) {
    return [skipped('model', 'this check needs a valid steersman.yaml and valid prompts')];
  }
  const known = endpointNames(settings.models.endpoints);
  const named = models.filter(id => !id.startsWith(`${DEMO}/`) && endpointFault(id, known) === null);
  // The file may name the demo model.
  if (standIn !== DEMO || (named.length === 0 && settings.models.default !== undefined)) {
    const providers = providerSource()(settings.models);
    const asked = models.map(id => splitModelId(id).provider);
    const callable = models.filter(id => endpointFault(id, known) === null);
    const others = presentEndpoints(settings.models.endpoints, env.lookup).filter(
      name => !asked.includes(name) && name !== endpoint,
    );
    const found = [checkModels(callable, providers), checkEndpoints(others, providers)];
    return [...(fault ? [fault] : []), ...(await Promise.all(found)).flat()];
  }
  const found = `no endpoint is configured: runs use the built-in ${standIn} model (rules, not intelligence).${dotEnvHint(configDir)}`;
  const wanted = named.length === 0 ? '' : `For ${named.join(', ')}: `;
  return [warning('model', found, `${wanted}${SET_AN_ENDPOINT}`)];
}

async function toolFindings(
  { configDir, workspace }: ExamineOptions,
  { settings, mcp, roles }: Configuration,
): Promise<Finding[]> {
  if (settings === null || mcp === null) {
    return [skipped('tools', 'this check needs a valid steersman.yaml and .mcp.json')];
  }
  return checkToolServers(mcp, settings, workspace, {
    roles,
    lookup: env.lookup,
    codeTools: await loadToolFiles(configDir),
  });
}

/** The minimum of `engines` in package.json. */
const MINIMUM_NODE = '20.19.0';
const LOW_SPACE_BYTES = 1e9;

export function checkNode(version: string = process.versions.node): Finding {
  if (isAtLeast(version, MINIMUM_NODE)) return ok('Node', version);
  return failed('Node', `${version} is too old`, `Install Node ${MINIMUM_NODE} or later.`);
}

/** Checks the store of conversations, opened as by a worker. Its address is a secret: the finding names the variable. */
async function storeFindings({ settings }: Configuration, home: string): Promise<Finding[]> {
  if (settings === null) return [skipped('conversations', 'this check needs a valid steersman.yaml')];
  if (settings.store.kind === 'none')
    return [ok('conversations', 'not stored: store.kind is none in steersman.yaml')];
  const spec = storeSpec(settings.store, env.lookup);
  const store = openStore(spec, { home });
  try {
    await store.check();
    const where =
      spec.kind === 'postgres' ? `PostgreSQL, by ${settings.store.urlVariable}` : join(home, 'store');
    return [ok('conversations', `kept in ${where}`)];
  } finally {
    await store.close();
  }
}

/** With a database, the checked folder is the spool, where texts wait while the database does not answer. */
async function textFindings({ settings }: Configuration, home: string): Promise<Finding[]> {
  const isFolder = settings === null || storeSpec(settings.store, env.lookup).kind === 'folder';
  return [await checkTexts(isFolder ? join(home, 'store', 'texts') : join(home, 'spool'))];
}

/** Checks that this folder can store large results. It creates the folder, as a worker would. */
export async function checkTexts(dir: string): Promise<Finding> {
  try {
    await tryBlobStore(dir);
  } catch (error) {
    return failedBy('large results', error);
  }
  // Some file systems do not report their free space.
  const free = await statfs(dir).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  );
  if (free === null) return ok('large results', `${dir} is writable`);
  if (free >= LOW_SPACE_BYTES) {
    return ok('large results', `${dir} is writable, ${Math.floor(free / 1e9)} GB free`);
  }
  return warning(
    'large results',
    `${dir} is writable, but the disk is nearly full`,
    'Make room on the disk.',
  );
}
