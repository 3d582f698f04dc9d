/**
 * Kills the only worker of many long runs by SIGKILL. It counts what is lost or repeated, and how soon all runs
 * continue.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Command, Option } from 'commander';
import { localConnection } from '../src/shared/local/probe.js';
import { storm } from '../test/support/storm.js';
import { type Database, startServer } from './support/arena.js';
import { machine } from './support/machine.js';
import { endProcess } from './support/processes.js';

const options = new Command('crash-storm')
  .option('--runs <n>', 'runs at once', Number, 50)
  .option('--turns <n>', 'model calls of each run', Number, 200)
  .option('--kills <n>', 'how often the worker is killed, spread over the work', Number, 1)
  .addOption(new Option('--database <kind>').choices(['memory', 'file']).default('memory'))
  .parse()
  .opts<{ runs: number; turns: number; kills: number; database: Database }>();
const { runs, turns, kills, database } = options;

const home = mkdtempSync(join(tmpdir(), 'steersman-storm-'));
const { server, address } = await startServer(home, database);
const connection = localConnection(address);
try {
  console.log(
    `crash-storm: ${runs} runs of ${turns} turns, ${kills} kill(s), Temporal's database: ${database}`,
  );
  console.log(`${machine()}\n`);
  const client = new Client({ connection });
  const report = (line: string) => console.log(line);
  const { figures } = await storm({ client, address, runs, turns, kills, report });
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${JSON.stringify(value)}`);
} finally {
  await connection.close();
  await endProcess(server);
  rmSync(home, { recursive: true, force: true });
}
