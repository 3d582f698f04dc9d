/**
 * `node dist/packages/cli/doctor/worker-health.js [--config DIR] [PID]`: the health check of the worker image. It exits
 * with 0 if a worker of this host, or the one with that process id, polls its task queue according to Temporal, is
 * neither dead nor stopped, and its configured store works. Otherwise it exits with 1 and prints the reason.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { openStore, storeSpec } from '@steersman/store';
import { openTemporal } from 'steersman/client';
import { defaultConfigDir, loadSettings } from 'steersman/config';
import {
  env,
  outLine,
  recentPollers,
  resolveHome,
  SteersmanError,
  tryBlobStore,
  usesLocalStack,
} from 'steersman/shared';
import { hasDied, isStopped } from 'steersman/worker';
import { DEFAULT_TASK_QUEUE } from 'steersman/workflow';

const { values: given, positionals } = parseArgs({
  options: { config: { type: 'string' } },
  allowPositionals: true,
});

async function main(): Promise<string | null> {
  // The check must not start a local stack.
  if (usesLocalStack()) return 'TEMPORAL_ADDRESS is not set.';
  await tryStore(given.config ?? defaultConfigDir());
  const taskQueue = env.taskQueue() ?? DEFAULT_TASK_QUEUE;
  const { client, close } = await openTemporal({ report: () => undefined });
  try {
    // Pollers of either kind are enough: a queue's pollers are spread over partitions, and the server lists one partition.
    const lists = await Promise.all([
      recentPollers(client, taskQueue, 'workflows'),
      recentPollers(client, taskQueue, 'activities'),
    ]);
    return faultOf(lists.flat(), taskQueue, positionals[0]);
  } finally {
    await close();
  }
}

/** Checks the store as workers open it; for a database, also the spool folder, where texts wait while it does not answer. */
async function tryStore(configDir: string): Promise<void> {
  const { store: settings } = await loadSettings(configDir);
  const spec = storeSpec(settings, env.lookup);
  const home = resolveHome();
  await tryBlobStore(spec.kind === 'folder' ? join(home, 'store', 'texts') : join(home, 'spool'));
  const store = openStore(spec, { home });
  try {
    await store.check();
  } finally {
    await store.close();
  }
}

/** Temporal lists a poller even after its worker has died, so the process is checked too. */
function faultOf(identities: readonly string[], taskQueue: string, pid: string | undefined): string | null {
  const who = pid === undefined ? `worker of ${hostname()}` : `worker ${pid} of ${hostname()}`;
  const end = pid === undefined ? `@${hostname()}` : `.${pid}@${hostname()}`;
  const alive = identities.filter(identity => identity.endsWith(end) && !hasDied(identity));
  if (alive.length === 0) return `No ${who} polls the task queue ${taskQueue}.`;
  const isStill = (identity: string) => isStopped(Number(/\.(\d+)@/.exec(identity)?.[1]));
  return alive.every(isStill)
    ? `The ${who} is stopped: it no longer polls the task queue ${taskQueue}.`
    : null;
}

try {
  const fault = await main();
  outLine(fault ?? 'ok');
  process.exitCode = fault === null ? 0 : 1;
} catch (error) {
  outLine(error instanceof SteersmanError ? `${error.message} ${error.remedy}` : inspect(error));
  process.exitCode = 1;
}
