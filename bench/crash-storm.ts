/** `npm run bench -- crash-storm [runs] [turns] [kills]`: kill -9 of the only worker under many long runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { localConnection } from '../src/stack/probe.js';
import { startTemporalProcess } from '../test/support/processes.js';
import { storm } from '../test/support/storm.js';

const [runs = 50, turns = 200, kills = 1] = process.argv.slice(2).map(Number);
const home = mkdtempSync(join(tmpdir(), 'steersman-storm-'));
const temporal = await startTemporalProcess(home);
const connection = localConnection(temporal.address);
try {
  const client = new Client({ connection });
  const report = (line: string) => console.error(line);
  report(`${runs} runs of ${turns} turns, ${kills} kills, Temporal server on a database file`);
  const { figures } = await storm({ client, address: temporal.address, runs, turns, kills, report });
  console.log(JSON.stringify(figures, null, 2));
} finally {
  await connection.close();
  await temporal.stop();
  rmSync(home, { recursive: true, force: true });
}
