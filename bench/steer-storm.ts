/**
 * Sends hundreds of messages, pauses and answers to one run whose only worker is killed again and again: none may be
 * lost.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Command } from 'commander';
import { localConnection } from '../src/shared/local/probe.js';
import { replayAll } from '../test/support/histories.js';
import { startTemporalProcess } from '../test/support/processes.js';
import { quietTemporal } from '../test/support/quiet.js';
import { steerStorm } from '../test/support/steer-storm.js';
import { machine } from './support/machine.js';

const options = new Command('steer-storm')
  .option('--messages <n>', 'steering messages and follow-ups', Number, 200)
  .option('--kills <n>', 'how often the worker is killed, spread over the messages', Number, 4)
  .option('--seed <n>', 'of what is sent when', Number, 1)
  .parse()
  .opts<{ messages: number; kills: number; seed: number }>();
const { messages, kills, seed } = options;

quietTemporal();
const home = mkdtempSync(join(tmpdir(), 'steersman-storm-'));
const temporal = await startTemporalProcess(home);
const connection = localConnection(temporal.address);
try {
  console.log(`steer-storm: ${messages} messages, ${kills} kills, seed ${seed}, Temporal on a database file`);
  console.log(`${machine()}\n`);
  const client = new Client({ connection });
  const report = (line: string) => console.log(line);
  const { address } = temporal;
  const { figures, histories } = await steerStorm({ client, address, seed, messages, kills, report });
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${JSON.stringify(value)}`);
  await replayAll(histories);
  console.log('every history replays');
  const { lost, doubled, outOfOrder, unpaired, effectsDoubled } = figures;
  if (lost.length + doubled.length + outOfOrder.length + unpaired + effectsDoubled > 0) process.exitCode = 1;
} finally {
  await connection.close();
  await temporal.stop();
  rmSync(home, { recursive: true, force: true });
}
