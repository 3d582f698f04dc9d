/** `npm run worker`: a worker for TEMPORAL_ADDRESS; on the local stack, a background worker of one queue. */

import { inspect } from 'node:util';
import { Command } from 'commander';
import { exitCodeOfError } from './client/exit-codes.js';
import { trustedConfigDir } from './client/verbs/trusted-dir.js';
import { CONFIG_OPTION, defaultConfigDir } from './config/config-dir.js';
import { checkConfigDir } from './config/files.js';
import { errorLine } from './print/output.js';
import { PROGRAM, scriptCall } from './shared/called-as.js';
import { env, loadDotEnv } from './shared/env.js';
import { SteersmanError } from './shared/errors.js';
import { isTrusted } from './stack/trust.js';
import { runWorker } from './worker/run-worker.js';
import { DEFAULT_TASK_QUEUE } from './workflows/messages.js';

const program = new Command(PROGRAM.worker)
  .description('Serves runs of Steersman: workflows, model calls and tool calls of one task queue.')
  .option('--config <dir>', CONFIG_OPTION)
  .option(
    '--task-queue <name>',
    `task queue to serve (default: STEERSMAN_TASK_QUEUE, else ${DEFAULT_TASK_QUEUE})`,
  )
  .addHelpText(
    'after',
    `
Connects as TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and the TLS variables or a profile of
Temporal's configuration file say. Model keys come from the environment or .env, never from a run.
Ends on Ctrl-C or SIGTERM: tools in flight may finish for 30 s, model calls are taken over by another worker.

Examples:
  TEMPORAL_ADDRESS=localhost:7233 ${scriptCall('worker')}
  ${scriptCall('worker', '--config /etc/steersman --task-queue steersman-eu')}`,
  )
  .action(async (options: { config?: string; taskQueue?: string }) => {
    const configDir = await trustedConfigDir(options.config);
    await checkConfigDir(configDir);
    const here = defaultConfigDir();
    if (isTrusted(here)) loadDotEnv(here);
    await runWorker({
      configDir,
      taskQueue: options.taskQueue ?? env.taskQueue() ?? DEFAULT_TASK_QUEUE,
      isTrusted: () => isTrusted(configDir),
    });
  });

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof SteersmanError;
  errorLine(known ? `${error.message}\n${error.remedy}` : inspect(error));
  // The SDK's threads would keep a worker that could not start alive, serving nothing.
  process.exit(known ? exitCodeOfError(error.code) : 1);
}
