/** `npm run worker`: a worker for TEMPORAL_ADDRESS; on the local stack, a background worker of one queue. */

import { inspect } from 'node:util';
import { exitCodeOfFault, isPrinted, strict } from '@steersman/print';
import { trustedConfigDir } from '@steersman/session';
import { Command } from 'commander';
import { CONFIG_OPTION } from './config/files/config-dir.js';
import { checkConfigDir } from './config/files/files.js';
import { isTrusted } from './config/trust/trust.js';
import { PROGRAM, scriptCall } from './shared/process/called-as.js';
import { env } from './shared/process/env.js';
import { SteersmanError } from './shared/process/errors.js';
import { errorLine } from './shared/process/output.js';
import { replayOpenRuns, runWorker } from './worker/run-worker.js';
import { DEFAULT_TASK_QUEUE } from './workflows/run/definitions.js';

const program = strict(new Command(PROGRAM.worker))
  .description('Serves runs of Steersman: workflows, model calls and tool calls of one task queue.')
  .option('--config <dir>', CONFIG_OPTION)
  .option(
    '--task-queue <name>',
    `task queue to serve (default: STEERSMAN_TASK_QUEUE, else ${DEFAULT_TASK_QUEUE})`,
  )
  .option(
    '--replay',
    "replay the queue's open runs against the workflow code of this version, serve none, and end: 0 when all would go on",
  )
  .option('--console', 'serve the console too, on this machine: it prints a link to it')
  .addHelpText(
    'after',
    `
TEMPORAL_DEPLOYMENT_NAME makes it a version of that worker deployment: runs stay with the version that they began
with. TEMPORAL_WORKER_BUILD_ID names the version (default: a digest of the workflow code). STEERSMAN_METRICS=host:port
serves metrics for Prometheus. STEERSMAN_STACK_TRACES=on fills the Web UI's tab "Call Stack", for a third of the
workflow thread's time. NAME_FILE names a file that holds the value of NAME, as for secrets of containers.

Connects as TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and the TLS variables or a profile of
Temporal's configuration file say. Model keys come from the environment or .env, never from a run.
While Temporal is away it waits for it, and says so. Ends on Ctrl-C or SIGTERM: tools in flight may finish for
30 s, model calls are taken over by another worker.

Examples:
  TEMPORAL_ADDRESS=localhost:7233 ${scriptCall('worker')}
  ${scriptCall('worker', '--config /etc/steersman --task-queue steersman-eu')}`,
  )
  .action(async (options: { config?: string; taskQueue?: string; replay?: true; console?: true }) => {
    // Read after `.env`, which may set it.
    const taskQueue = () => options.taskQueue ?? env.taskQueue() ?? DEFAULT_TASK_QUEUE;
    if (options.replay) {
      process.exitCode = (await replayOpenRuns(taskQueue())) ? 0 : 1;
      return;
    }
    const configDir = await trustedConfigDir(options.config);
    await checkConfigDir(configDir);
    const serving = () =>
      runWorker({ configDir, taskQueue: taskQueue(), isTrusted: () => isTrusted(configDir) });
    if (!options.console) return serving();
    const { serveConsole } = await import('@steersman/console');
    const served = await serveConsole({ report: errorLine });
    errorLine(`Console  ${served.link()}`);
    await serving().finally(() => served.close());
  });

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof SteersmanError;
  if (!isPrinted(error)) errorLine(known ? `${error.message}\n${error.remedy}`.trimEnd() : inspect(error));
  // The SDK's threads would keep a worker that could not start alive, serving nothing.
  process.exit(exitCodeOfFault(error));
}
