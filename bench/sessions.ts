/** How long it takes to list, search and show conversations where the store has many. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Kept, RunRecord } from '../src/core/state/kept.js';
import { NO_USAGE } from '../src/core/state/message.js';
import { openFolder } from '../src/shared/store/folder.js';
import { machine, median, table } from './support/machine.js';

const options = new Command('sessions')
  .option('--sessions <n>', 'conversations in the store', Number, 10_000)
  .option('--messages <n>', 'messages of each, of about 1 KB', Number, 12)
  .option('--rounds <n>', 'measurements of each', Number, 5)
  .parse()
  .opts<{ sessions: number; messages: number; rounds: number }>();
const { sessions: count, messages, rounds } = options;

function runOf(number: number): RunRecord {
  const id = `s-${number}`;
  return {
    ...{
      v: 1,
      chain: `chain-${number}`,
      session: id,
      workflowId: id,
      runId: 'execution-1',
      namespaceId: 'bench',
      mode: 'react',
    },
    ...{ goal: `Goal number ${number} of the office`, workspace: '/work', number: 1, ended: true },
    ...{
      startedAt: number,
      changedAt: number,
      outcome: 'completed',
      cause: 'direct_answer',
      answer: 'Done.',
    },
    ...{ usage: NO_USAGE, kept: { id: messages, seq: 0, step: 0 } },
  };
}

function said(session: number, number: number): Kept {
  const text = `word${session * messages + number} `.repeat(100);
  const message = {
    ...{ id: `m${number}`, at: number, kind: 'user' as const, purpose: 'steer' as const },
    content: [{ type: 'text' as const, text }],
  };
  return { kind: 'message', thread: 'main', message };
}

async function medianMs(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  return median(times).toFixed(0);
}

console.log(`sessions: ${count} conversations of ${messages} messages in a folder`);
console.log(`${machine()}\n`);
const dir = mkdtempSync(join(tmpdir(), 'sessions-'));
const { sessions: store } = openFolder(dir);
try {
  for (let number = 0; number < count; number++)
    await store.keep(
      runOf(number),
      Array.from({ length: messages }, (_, index) => said(number, index + 1)),
    );
  const middle = Math.floor(count / 2);
  const asked: [string, () => Promise<unknown>][] = [
    ['list the newest 20', () => store.list({ limit: 20 })],
    ['list by words of the title', () => store.list({ limit: 20, text: `number ${middle} of` })],
    [
      'search a word of one message',
      () => store.search({ text: `word${middle * messages + 1} `, limit: 20 }),
    ],
    ['search a word of many', () => store.search({ text: 'word1', limit: 20 })],
    ['search a word of none', () => store.search({ text: 'never said', limit: 20 })],
    ['show one', () => store.read(runOf(middle), { kind: 'message', limit: 1_000 })],
  ];
  const rows: string[][] = [];
  for (const [name, work] of asked) rows.push([name, await medianMs(work)]);
  console.log(table(['', 'ms, median'], rows));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
