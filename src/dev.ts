import { resolve } from 'node:path';
import { exitCodeOfFault, isPrinted, strict } from '@steersman/print';
import { trustedConfigDir } from '@steersman/session';
import { ensureServer, type LocalStack, stopStack } from '@steersman/stack';
import { Command } from 'commander';
import { projectWorker } from './client/here/project-worker.js';
import { CONFIG_OPTION, defaultConfigDir } from './config/files/config-dir.js';
import { checkConfigDir } from './config/files/files.js';
import { isTrusted, loadVariables } from './config/trust/trust.js';
import { resolveHome } from './shared/local/home.js';
import { servedRuns } from './shared/local/open-runs.js';
import { withConnection } from './shared/local/probe.js';
import { PROGRAM, scriptCall } from './shared/process/called-as.js';
import { SteersmanError } from './shared/process/errors.js';
import { errorLine } from './shared/process/output.js';
import { temporalClient } from './shared/temporal/temporal-client.js';

const HELP = `
Examples:
  ${scriptCall('dev').padEnd(27)}start the local Temporal server and a worker; Ctrl-C ends them
  ${scriptCall('dev', '--stop').padEnd(27)}end server and workers that run in the background

The server keeps its runs in .steersman (or STEERSMAN_HOME), so a later start finds them again.`;

const say = errorLine;

/** `npm run dev`: runs the local stack in the foreground until Ctrl-C, or with `--stop` ends all of it. */
async function dev(options: { stop?: boolean; config?: string }): Promise<void> {
  if (options.stop === true) return stopHere(options.config);
  const configDir = await trustedConfigDir(options.config);
  await checkConfigDir(configDir);
  const home = resolveHome();
  const server = await ensureServer(home, { report: say });
  const worker = await server.worker(projectWorker(options.config === undefined ? null : configDir));
  say(`Temporal server  ${server.address}${server.startedHere ? '' : ' (ran already)'}`);
  say(`Web UI           ${server.webUi}`);
  say(`Worker           task queue ${worker.taskQueue}, log ${worker.logFile}`);
  say('Ctrl-C ends them.');
  await untilInterrupted();
  await leave(server);
}

async function stopHere(config: string | undefined): Promise<void> {
  const folder = config === undefined ? defaultConfigDir() : resolve(config);
  await checkConfigDir(folder);
  if (config !== undefined || isTrusted(folder)) loadVariables(folder);
  const home = resolveHome();
  say((await stopStack(home, say)) ? 'Stopped.' : `Nothing runs for ${home}.`);
}

/** Ends the stack unless others use it; it then ends itself later. */
async function leave(server: LocalStack): Promise<void> {
  const { clients, workers } = await server.state();
  const others = clients - 1;
  const queues = workers.map(({ taskQueue }) => taskQueue);
  const runs = await withConnection(server.address, 5_000, connection =>
    servedRuns(temporalClient({ connection }), queues),
  ).catch(() => 0);
  server.release();
  if (others === 0 && runs === 0) {
    await stopStack(server.home, say);
    say('Stopped.');
    return;
  }
  say(
    `Still in use (other terminals: ${others}, open runs: ${runs}): it ends itself a minute after the last use.`,
  );
  say(`To end it now: ${scriptCall('dev', '--stop')}`);
}

function untilInterrupted(): Promise<void> {
  // Signal handlers alone don't keep a process alive.
  const alive = setInterval(() => {}, 60_000);
  return new Promise(done => {
    const end = () => {
      clearInterval(alive);
      done();
    };
    process.once('SIGINT', end).once('SIGTERM', end);
  });
}

const command = strict(new Command(PROGRAM.dev))
  .description('The local stack in the foreground: a Temporal server with its Web UI, and a worker.')
  .option('--stop', 'end the server and all workers of this project that run in the background')
  .option('--config <dir>', CONFIG_OPTION)
  .addHelpText('after', HELP)
  .action(dev);

try {
  await command.parseAsync();
} catch (error) {
  const known = error instanceof SteersmanError;
  if (!known && !isPrinted(error)) throw error;
  if (known) say(`Error: ${error.message}\n${error.remedy}`.trimEnd());
  process.exitCode = exitCodeOfFault(error);
}
