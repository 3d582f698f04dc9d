/**
 * `node dist/doctor/worker-health.js`: exits with 0 when a worker of this host takes work from its task queue,
 * as Temporal sees it, else with 1 and the reason. The health check of the worker image.
 */
import { hostname } from 'node:os';
import { inspect } from 'node:util';
import { openTemporal } from '../client/runs/connect.js';
import { outLine } from '../print/output.js';
import { env } from '../shared/env.js';
import { SteersmanError } from '../shared/errors.js';
import { usesLocalStack } from '../stack/is-used.js';
import { recentPollers } from '../stack/pollers.js';
import { DEFAULT_TASK_QUEUE } from '../workflows/messages.js';

async function main(): Promise<string | null> {
  // Asking must not start a local stack.
  if (usesLocalStack()) return 'TEMPORAL_ADDRESS is not set.';
  const taskQueue = env.taskQueue() ?? DEFAULT_TASK_QUEUE;
  const { client, close } = await openTemporal({ report: () => undefined });
  try {
    // Either will do: a queue's pollers are spread over partitions, of which the server tells of one.
    const lists = await Promise.all([
      recentPollers(client, taskQueue, 'workflows'),
      recentPollers(client, taskQueue, 'activities'),
    ]);
    const own = lists.flat().some(identity => identity.endsWith(`@${hostname()}`));
    return own ? null : `No worker of ${hostname()} polls the task queue ${taskQueue}.`;
  } finally {
    await close();
  }
}

try {
  const fault = await main();
  outLine(fault ?? 'ok');
  process.exitCode = fault === null ? 0 : 1;
} catch (error) {
  outLine(error instanceof SteersmanError ? `${error.message} ${error.remedy}` : inspect(error));
  process.exitCode = 1;
}
