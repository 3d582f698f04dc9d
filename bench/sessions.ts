/**
 * Measures how long it takes to list, search and show conversations in a store with many of them: a folder, and
 * PostgreSQL.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { openFolder } from '../packages/store/folder.js';
import { connectPostgres, postgresStore } from '../packages/store/postgres/postgres.js';
import { NO_USAGE } from '../src/run/messages/message.js';
import type { RunRecord, StoredLine } from '../src/run/state/stored-line.js';
import { lineageOf, messagesOf, type SessionStore, type Store } from '../src/shared/store/store.js';
import { testServer } from '../test/support/postgres-server.js';
import { machine, median, table } from './support/machine.js';

type Kind = 'folder' | 'postgres' | 'both';
const options = new Command('sessions')
  .option('--sessions <n>', 'conversations in the store', Number, 10_000)
  .option('--messages <n>', 'messages of each, of about 1 KB', Number, 12)
  .option('--rounds <n>', 'measurements of each', Number, 9)
  .addOption(
    new Option('--store <kind>', 'which one').choices(['folder', 'postgres', 'both']).default('both'),
  )
  .parse()
  .opts<{ sessions: number; messages: number; rounds: number; store: Kind }>();
const { sessions: count, messages, rounds } = options;
const middle = Math.floor(count / 2);
const AT_ONCE = 5;
const WORKSPACES = 50;

function runOf(number: number): RunRecord {
  const id = `s-${number}`;
  return {
    ...{ v: 1, chain: `chain-${number}`, session: id, workflowId: id, runId: 'execution-1' },
    ...{ namespaceId: 'bench', mode: 'react', goal: `Goal number ${number} of the office` },
    // The first conversation is the only one of its workspace.
    ...{ workspace: `/srv/${number === 0 ? 'alone' : number % WORKSPACES}`, number: 1, ended: true },
    ...{ startedAt: number, changedAt: number, outcome: 'completed', cause: 'direct_answer' },
    ...{ answer: 'Done.', usage: NO_USAGE, kept: { id: messages, seq: 0 } },
  };
}

let seed = 1;
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed % below;
}

const SYLLABLES = ['ba', 'con', 'der', 'fin', 'gra', 'hel', 'ion', 'jus', 'ket', 'lom', 'mer', 'nos', 'per'];
function filler(): string {
  const syllables = Array.from({ length: 1 + random(3) }, () => SYLLABLES[random(SYLLABLES.length)] ?? '');
  return syllables.join('');
}

/** Returns one of 2,000 characters, none of which is in the searched words. */
function character(): string {
  return String.fromCharCode(0x4e00 + random(2_000));
}

/** Every message has a word of its own and a word that all messages have. No message has both "evenly" and "oddly". */
function said(session: number, number: number): StoredLine {
  const parts = [
    `word${session * messages + number} everywhere ${number % 2 === 0 ? 'evenly' : 'oddly'}`,
    ...Array.from({ length: 130 }, filler),
    Array.from({ length: 40 }, character).join(''),
    ...(session === middle && number === 1 ? ['这里有游泳池尺寸。'] : []),
  ];
  const message = {
    ...{ id: `m${number}`, at: number, kind: 'user' as const, purpose: 'steer' as const },
    content: [{ type: 'text' as const, text: parts.join(' ') }],
  };
  return { kind: 'message', thread: 'main', message };
}

async function fill(store: SessionStore): Promise<void> {
  for (let first = 0; first < count; first += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, nth) => first + nth);
    await Promise.all(
      numbers.map(number =>
        store.keep(
          runOf(number),
          Array.from({ length: messages }, (_, at) => said(number, at + 1)),
        ),
      ),
    );
  }
}

/** As `sessions show` does. */
async function show(store: SessionStore, id: string): Promise<unknown[]> {
  const lineage = await lineageOf(store, id);
  return (await Promise.all(lineage.map(each => messagesOf(store, each)))).flat();
}

/** Returns the measured requests, each with the number of results that it must find. */
function asked(store: SessionStore): [string, number, () => Promise<unknown[]>][] {
  const limit = 20;
  const list = (ask: Partial<Parameters<SessionStore['list']>[0]>) => () => store.list({ limit, ...ask });
  const search = (text: string) => () => store.search({ text, limit });
  const own = `word${middle * messages + 1}`;
  const most = Math.min(limit, count);
  const inFolder = Array.from({ length: count }, (_, n) => n).filter(n => n % WORKSPACES === 1).length;
  return [
    ['list the newest 20', most, list({})],
    ['list by words of one title', 1, list({ text: `number ${middle} of` })],
    ['list by a word of all titles', most, list({ text: 'office' })],
    ['list by words of no title', 0, list({ text: 'no such title' })],
    ['list the newest 20 of a workspace', Math.min(limit, inFolder), list({ workspaces: ['/srv/1'] })],
    ['list the only one of a workspace, the oldest', 1, list({ workspaces: ['/srv/alone'] })],
    ['list all', count, list({ limit: Number.POSITIVE_INFINITY })],
    ['search a word of one message', 1, search(own)],
    ['search a word of all messages', limit, search('everywhere')],
    ['search a word of none', 0, search('never-said')],
    ['search two words of one message', 1, search(`everywhere ${own}`)],
    ['search two common words, never together', 0, search('evenly oddly')],
    ['search two Chinese characters of one message', 1, search('泳池')],
    ['search four Chinese characters of none', 0, search('银行账户')],
    ['show one', messages, () => show(store, `s-${middle}`)],
  ];
}

async function measure(work: () => Promise<unknown[]>, found: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    const { length } = await work();
    times.push(performance.now() - from);
    if (length !== found) throw new Error(`it found ${length}, not ${found}`);
  }
  return times;
}

async function measureStore(name: string, { sessions }: Store): Promise<void> {
  const from = performance.now();
  await fill(sessions);
  const seconds = (performance.now() - from) / 1_000;
  console.log(`\n${name}: ${count} conversations of ${messages} messages, filled in ${seconds.toFixed(0)} s`);
  console.log(`${machine()}\n`);
  const rows: string[][] = [];
  for (const [what, found, work] of asked(sessions)) {
    const times = await measure(work, found).catch((error: unknown) => {
      throw new Error(`${what}: ${String(error)}`);
    });
    rows.push([what, median(times).toFixed(0), Math.max(...times).toFixed(0)]);
  }
  console.log(table(['ms', 'median', 'most'], rows));
}

async function measureFolder(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'sessions-'));
  try {
    await measureStore('a folder', openFolder(dir));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measurePostgres(): Promise<void> {
  // If root starts the database server, it runs as `nobody`, which must be able to reach its files.
  chmodSync(tmpdir(), 0o711);
  const server = await testServer();
  if (server === null)
    return console.log('\nPostgreSQL: none is installed here, and TEST_DATABASE_URL names none.');
  const database = connectPostgres(server.url);
  try {
    await measureStore('PostgreSQL', postgresStore(database));
  } finally {
    await database.close();
    await server.remove();
  }
}

if (options.store !== 'postgres') await measureFolder();
if (options.store !== 'folder') await measurePostgres();
