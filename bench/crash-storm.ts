/** kill -9 of the only worker under many long runs: what is repeated, what is lost, how soon all go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Command } from 'commander';
import { localConnection } from '../src/stack/probe.js';
import { startTemporalProcess } from '../test/support/processes.js';
import { quietTemporal } from '../test/support/quiet.js';
import { storm } from '../test/support/storm.js';
import { machine } from './support/machine.js';

const options = new Command('crash-storm')
  .option('--runs <n>', 'runs at once', Number, 50)
  .option('--turns <n>', 'model calls of each run', Number, 200)
  .option('--kills <n>', 'how often the worker is killed, spread over the work', Number, 1)
  .parse()
  .opts<{ runs: number; turns: number; kills: number }>();
const { runs, turns, kills } = options;

quietTemporal();
const home = mkdtempSync(join(tmpdir(), 'steersman-storm-'));
const temporal = await startTemporalProcess(home);
const connection = localConnection(temporal.address);
try {
  console.log(`crash-storm: ${runs} runs of ${turns} turns, ${kills} kills, Temporal on a database file`);
  console.log(`${machine()}\n`);
  const client = new Client({ connection });
  const report = (line: string) => console.log(line);
  const { figures } = await storm({ client, address: temporal.address, runs, turns, kills, report });
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${JSON.stringify(value)}`);
} finally {
  await connection.close();
  await temporal.stop();
  rmSync(home, { recursive: true, force: true });
}
