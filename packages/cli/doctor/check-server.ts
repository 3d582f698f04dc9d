/** Checks that an answering Temporal server has everything that runs need. */

import type { Client } from '@temporalio/client';
import { isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';
import { plural } from 'steersman/base';
import { explainError, readStuckTask, stuckLine } from 'steersman/client';
import { SEARCH_ATTRIBUTES } from 'steersman/rules';
import { OPEN_RUNS, recentPollers, scriptCall, verbCall } from 'steersman/shared';
import { type Finding, failed, failedBy, ok, skipped, warning } from './finding.js';

const REQUEST_LIMIT_MS = 10_000;
const KEYWORD = 2;
const NOT_FOUND = 5;
const DAY_SECONDS = 86_400;

export interface ServerCheckOptions {
  namespace: string;
  /** Null on the local stack, where a run starts its worker. */
  taskQueue: string | null;
  fix: boolean;
}

export async function checkServer(client: Client, options: ServerCheckOptions): Promise<Finding[]> {
  const within = <T>(work: () => Promise<T>) => client.withDeadline(Date.now() + REQUEST_LIMIT_MS, work);
  const namespace = await within(() => checkNamespace(client, options.namespace));
  const { taskQueue } = options;
  if (namespace.status === 'failed') {
    const why = 'this check needs a valid namespace';
    const worker = taskQueue === null ? [] : [skipped('worker', why)];
    return [namespace, skipped('search attributes', why), ...worker];
  }
  const attributes = await within(() => checkAttributes(client, options));
  const stuck = await within(() => checkRuns(client));
  if (taskQueue === null) return [namespace, attributes, ...stuck];
  return [namespace, attributes, await within(() => checkWorkers(client, taskQueue)), ...stuck];
}

async function checkNamespace(client: Client, namespace: string): Promise<Finding> {
  try {
    const { config } = await client.workflowService.describeNamespace({ namespace });
    const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    const kept =
      seconds === 0 ? '' : `, ended runs are kept for ${plural(Math.round(seconds / DAY_SECONDS), 'day')}`;
    return ok('namespace', `${namespace}${kept}`);
  } catch (error) {
    const isMissing =
      error instanceof NamespaceNotFoundError || (isGrpcServiceError(error) && error.code === NOT_FOUND);
    if (!isMissing) return failedBy('namespace', explainError(error) ?? error);
    return failed(
      'namespace',
      `there is no namespace ${namespace}`,
      `Create it (temporal operator namespace create --namespace ${namespace} --retention 72h), or set TEMPORAL_NAMESPACE.`,
    );
  }
}

async function checkAttributes(client: Client, { namespace, fix }: ServerCheckOptions): Promise<Finding> {
  const check = 'search attributes';
  const types = await attributeTypes(client, namespace);
  if (types instanceof Error) {
    // Runs check the attributes themselves, and do without them if that is forbidden.
    const todo = 'Runs work without them. Check in the Web UI that they are registered as Keyword.';
    return warning(check, `the namespace could not be asked: ${types.message}`, todo);
  }
  const missing = SEARCH_ATTRIBUTES.filter(name => !types.has(name));
  const odd = SEARCH_ATTRIBUTES.filter(name => types.has(name) && types.get(name) !== KEYWORD);
  if (odd.length > 0) {
    const todo = `Remove them in Temporal, then register them with: ${verbCall('doctor --fix')}`;
    return failed(check, `not of type Keyword: ${odd.join(', ')}`, todo);
  }
  if (missing.length === 0) return ok(check, SEARCH_ATTRIBUTES.join(', '));
  const found = `not registered: ${missing.join(', ')}; runs cannot be found by them`;
  if (!fix) return failed(check, found, `Register them with: ${verbCall('doctor --fix')}`);
  return register(client, namespace, missing);
}

/** Returns the types of the namespace's custom attributes, or the error of the request. */
async function attributeTypes(client: Client, namespace: string): Promise<Map<string, number> | Error> {
  try {
    const { customAttributes } = await operator(client).listSearchAttributes({ namespace });
    return new Map(Object.entries(customAttributes ?? {}));
  } catch (error) {
    return explainError(error) ?? new Error(String(error));
  }
}

async function register(client: Client, namespace: string, names: readonly string[]): Promise<Finding> {
  const searchAttributes = Object.fromEntries(names.map(name => [name, KEYWORD]));
  try {
    await operator(client).addSearchAttributes({ namespace, searchAttributes });
    return ok('search attributes', `registered now: ${names.join(', ')}`);
  } catch (error) {
    const known = explainError(error);
    return failed(
      'search attributes',
      `${names.join(', ')} could not be registered: ${known?.message ?? String(error)}`,
      'Register them as Keyword with an account that is allowed to: in the Web UI of hosted Temporal, or with the Temporal CLI.',
    );
  }
}

/** The newest runs are checked; `list` shows older stuck runs. */
const RUNS_LOOKED_AT = 50;

/** Returns a finding for each open run whose workflow task fails repeatedly. */
async function checkRuns(client: Client): Promise<Finding[]> {
  const findings: Finding[] = [];
  let looked = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query: OPEN_RUNS })) {
    const run = await client.workflow.getHandle(workflowId, runId).describe();
    const stuck = await readStuckTask(client, run);
    if (stuck) findings.push(failed('run', `${workflowId}: ${stuckLine(stuck)}`, stuck.todo));
    looked += 1;
    if (looked === RUNS_LOOKED_AT) break;
  }
  return findings;
}

async function checkWorkers(client: Client, taskQueue: string): Promise<Finding> {
  const [workflows, activities] = await Promise.all([
    recentPollers(client, taskQueue, 'workflows'),
    recentPollers(client, taskQueue, 'activities'),
  ]);
  const workers = [...new Set([...workflows, ...activities])].sort();
  if (workers.length === 0) {
    const todo = `Start one (${scriptCall('worker')}), or name the queue of yours with --task-queue.`;
    return failed('worker', `no worker serves the task queue ${taskQueue}: runs would wait`, todo);
  }
  return ok('worker', `${taskQueue} is served by ${workers.join(', ')}`);
}

/** Returns the service for search attributes, which some connections lack. */
function operator(client: Client) {
  const { connection } = client;
  if ('operatorService' in connection) return connection.operatorService;
  throw new Error('this connection has no operator service');
}
