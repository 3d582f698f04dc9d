import { temporalClient } from '../shared/temporal-client.js';
import { stackPaths } from './home.js';
import { liveLeases } from './lease.js';
import { withLock } from './lock.js';
import { isServed, openRuns } from './open-runs.js';
import { localConnection } from './probe.js';
import { isAlive } from './process-id.js';
import { readServerRecord, readStack } from './records.js';
import { endServer } from './server.js';
import type { Report } from './temporal-binary.js';
import { endWorker } from './workers.js';

/**
 * Ends everything of a home at once, gracefully: the workers (tools may finish for 30 s), then keeper and
 * server. Open runs stay open in the database. Returns false when nothing ran. Clients at work lose their server.
 */
export async function stopStack(home: string, report: Report = () => {}): Promise<boolean> {
  const onWait = () => report('Another terminal is starting or ending the local stack. Waiting for it.');
  return withLock(
    stackPaths(home).serverLock,
    async () => {
      const { server, workers } = readStack(home);
      const keeper = readServerRecord(home)?.keeper;
      if (workers.length > 0) report(`Ending ${count(workers.length, 'worker')} …`);
      await Promise.all(workers.map(worker => endWorker(home, worker)));
      if (server !== undefined) report(`Ending the Temporal server at ${server.address} …`);
      const ran = workers.length > 0 || server !== undefined || (keeper !== undefined && isAlive(keeper));
      await endServer(home);
      return ran;
    },
    { onWait },
  );
}

/** Why a stack should go on: other clients at work, and runs that workers work on. */
export interface StackUse {
  clients: number;
  runs: number;
}

/** Who uses the stack besides this process. */
export async function stackUse(home: string): Promise<StackUse> {
  const pids = new Set(liveLeases(home).map(lease => lease.pid));
  pids.delete(process.pid);
  const { server } = readStack(home);
  return { clients: pids.size, runs: server === undefined ? 0 : await servedRuns(home, server.address) };
}

/** How many open runs a worker works on. */
async function servedRuns(home: string, address: string): Promise<number> {
  const connection = localConnection(address);
  try {
    const client = temporalClient({ connection });
    const served = await Promise.all(
      (await openRuns(client)).map(run => isServed(client, home, run.taskQueue)),
    );
    return served.filter(Boolean).length;
  } catch {
    return 0;
  } finally {
    await connection.close();
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
