/**
 * Takes the store away again and again while runs work and end. In the end the store must have everything that each
 * run said.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Command, Option } from 'commander';
import { openFolder } from '../packages/store/folder.js';
import { connectPostgres, postgresStore } from '../packages/store/postgres/postgres.js';
import { localConnection } from '../src/shared/local/probe.js';
import { ownServer } from '../test/support/postgres-server.js';
import { startTemporalProcess } from '../test/support/processes.js';
import { folderThatGoes } from '../test/support/store-away.js';
import { type OutagesFigures, type OutagesOptions, storeOutages } from '../test/support/store-outages.js';
import { machine, table } from './support/machine.js';

type Kind = 'folder' | 'postgres';
const options = new Command('store-away')
  .description(
    'Takes the store away at random times while runs of conversations work and end, gives it back, and compares the conversation of each run with it. Ends with 1 where anything is missing.',
  )
  .option('--outages <n>', 'of each store', Number, 8)
  .option('--conversations <n>', 'at once, each with one run after the other', Number, 4)
  .option('--longest <seconds>', 'the longest outage', Number, 25)
  .option('--seed <n>', 'of what happens when', Number, 1)
  .addOption(new Option('--store <kind>').choices(['folder', 'postgres', 'both']).default('both'))
  .parse()
  .opts<{
    outages: number;
    conversations: number;
    longest: number;
    seed: number;
    store: Kind | 'both';
  }>();
const { outages, conversations, longest, seed, store } = options;
const kinds: Kind[] = store === 'both' ? ['folder', 'postgres'] : [store];

type Given = Omit<OutagesOptions, 'store'>;

function onFolder(given: Given): Promise<OutagesFigures> {
  const open = (home: string) => ({
    ...folderThatGoes(home),
    env: {},
    sessions: openFolder(join(home, 'store')).sessions,
  });
  return storeOutages({ ...given, store: open });
}

/** Kills and pauses the database in turn; returns null if no server is installed. */
async function onPostgres(given: Given): Promise<OutagesFigures | null> {
  // If root starts the database server, it runs as `nobody`, which must be able to reach its files.
  chmodSync(tmpdir(), 0o711);
  const server = await ownServer();
  if (server === null) return null;
  const database = connectPostgres(server.url);
  // Clients in this process use the same database.
  process.env.DATABASE_URL = server.url;
  let count = 0;
  const open = () => ({
    env: { DATABASE_URL: server.url },
    sessions: postgresStore(database).sessions,
    async go() {
      count += 1;
      if (count % 2 === 1) await server.kill();
      else server.pause();
    },
    async comeBack() {
      if (count % 2 === 1) await server.start();
      else server.resume();
    },
  });
  try {
    return await storeOutages({ ...given, store: open });
  } finally {
    delete process.env.DATABASE_URL;
    await database.close();
    await server.remove();
  }
}

const HEAD = [
  'store',
  'outages',
  's away',
  'runs',
  'without a word',
  'agents',
  'ended late',
  's until whole',
  'lacking',
];
const NAMES = ['begun without, told', 'begun without, not told'];

function rowOf(kind: Kind, figures: OutagesFigures): string[] {
  const runs = Object.values(figures.runs).reduce((sum, count) => sum + count, 0);
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  const { wordless, agents, late, lacking, told, begunWithout } = figures;
  return [
    ...[kind, String(figures.outages), seconds(figures.awayMs)],
    ...[runs, wordless, agents, late].map(String),
    seconds(figures.settleMs),
    ...[lacking.length, told, begunWithout.length].map(String),
  ];
}

const home = mkdtempSync(join(tmpdir(), 'steersman-away-'));
const server = await startTemporalProcess(home);
const connection = localConnection(server.address);
const rows: string[][] = [];
try {
  console.log(`store-away: ${outages} outages, ${conversations} conversations at once, seed ${seed}`);
  console.log(`${machine()}\n`);
  const { address } = server;
  const report = (line: string) => console.log(`  ${line}`);
  const given = { client: new Client({ connection }), address, seed, outages, conversations, report };
  for (const kind of kinds) {
    console.log(kind);
    const all = { ...given, longestMs: longest * 1_000 };
    const figures = await (kind === 'folder' ? onFolder(all) : onPostgres(all));
    if (figures === null) console.log('  left out: no PostgreSQL is installed');
    else {
      rows.push(rowOf(kind, figures));
      console.log(`  ${JSON.stringify(figures.runs)}`);
      for (const lack of figures.lacking) console.log(`  LACKING ${lack}`);
      for (const goal of figures.begunWithout) console.log(`  BEGUN WITHOUT THE ANSWER BEFORE ${goal}`);
      if (figures.lacking.length + figures.begunWithout.length > 0) process.exitCode = 1;
    }
  }
} finally {
  await connection.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
console.log(`\n${table([...HEAD, ...NAMES], rows)}`);
