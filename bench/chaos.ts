/**
 * Plays runs among random faults, seed by seed. It checks that nothing is lost or doubled, and that every history
 * replays.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { Command, InvalidArgumentError } from 'commander';
import { localConnection } from '../src/shared/local/probe.js';
import { type ChaosFigures, chaos } from '../test/support/chaos/chaos.js';
import { CHAOS_KINDS, type ChaosKind } from '../test/support/chaos/kinds.js';
import { startTemporalProcess } from '../test/support/processes.js';
import { quietTemporal } from '../test/support/quiet.js';
import { machine, table } from './support/machine.js';

interface Options {
  faults: number;
  seed: number;
  perSeed: number;
  runs: number;
  workers: number;
  longest: number;
  badReplies: number;
  kinds: ChaosKind[];
}

/**
 * The least share of all runs that must complete, including those whose model misbehaves. Below it the benchmark
 * fails.
 */
const COMPLETED_SHARE = 0.95;

const options = new Command('chaos')
  .description(
    'Kills and pauses workers, tool servers and the Temporal server while runs are watched, asked and steered. Ends with 1, and names the seeds, when anything is wrong.',
  )
  .option('--faults <n>', 'in all, spread over the seeds', Number, 60)
  .option('--seed <n>', 'the first seed; the others follow', Number, 1)
  .option('--per-seed <n>', 'faults of one seed', Number, 20)
  .option('--runs <n>', 'runs at once', Number, 4)
  .option('--workers <n>', 'worker processes', Number, 2)
  .option('--longest <seconds>', 'the longest pause', Number, 30)
  .option(
    '--bad-replies <percent>',
    "of the model's replies: 429, 5xx, cut, no JSON, broken arguments",
    Number,
    0,
  )
  .option('--kinds <list>', `of runs, in turn: ${CHAOS_KINDS.join(', ')}`, readKinds, [...CHAOS_KINDS])
  .parse()
  .opts<Options>();
const { runs, workers, perSeed, kinds } = options;
const seeds = Array.from({ length: Math.ceil(options.faults / perSeed) }, (_, index) => options.seed + index);

const STRUCK = [
  'worker killed',
  'worker paused',
  'tool server killed',
  'tool server paused',
  'server killed',
  'server paused',
];
const SUMMED = [
  'runs',
  'completed',
  'agents',
  'replies',
  'badReplies',
  'queries',
  'queriesFailed',
  'messages',
  'toAgents',
  'effects',
  'historyEvents',
] as const;
const HEAD = ['seed', 's', 's to settle', ...STRUCK, ...SUMMED, 'wrong'];

function readKinds(list: string): ChaosKind[] {
  return list.split(',').map(name => {
    const kind = CHAOS_KINDS.find(each => each === name.trim());
    if (!kind) throw new InvalidArgumentError(`there are ${CHAOS_KINDS.join(', ')}`);
    return kind;
  });
}

function rowOf(figures: ChaosFigures): string[] {
  const { seed, wallMs, settleMs, struck, faults } = figures;
  const seconds = [wallMs, settleMs].map(ms => String(Math.round(ms / 1_000)));
  const counts = [
    ...STRUCK.map(name => struck[name] ?? 0),
    ...SUMMED.map(name => figures[name]),
    faults.length,
  ];
  return [String(seed), ...seconds, ...counts.map(String)];
}

function totalOf(figures: readonly ChaosFigures[]): string[] {
  const rows = figures.map(rowOf);
  return HEAD.map((_, column) =>
    column === 0 ? 'all' : String(rows.reduce((sum, row) => sum + Number(row[column]), 0)),
  );
}

quietTemporal();
const home = mkdtempSync(join(tmpdir(), 'steersman-chaos-'));
const server = await startTemporalProcess(home);
const connection = localConnection(server.address);
const all: ChaosFigures[] = [];
try {
  console.log(`chaos: seeds ${seeds[0]} to ${seeds.at(-1)}, ${perSeed} faults each, ${runs} runs at once`);
  console.log(`${machine()}\n`);
  const client = new Client({ connection });
  for (const seed of seeds) {
    const figures = await chaos({
      client,
      address: server.address,
      server,
      seed,
      faults: perSeed,
      runs,
      workers,
      longestPauseMs: options.longest * 1_000,
      kinds,
      badReplies: options.badReplies / 100,
    });
    all.push(figures);
    const { wallMs, faults } = figures;
    console.log(`seed ${seed}: ${Math.round(wallMs / 1000)} s, ${faults.length === 0 ? 'ok' : 'WRONG'}`);
    for (const fault of faults) console.log(`  ${fault}`);
  }
} finally {
  await connection.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}
console.log(`\n${table(HEAD, [...all.map(rowOf), totalOf(all)])}`);
const sum = (key: 'runs' | 'completed') => all.reduce((total, figures) => total + figures[key], 0);
const share = sum('completed') / sum('runs');
console.log(`\nCompleted: ${sum('completed')} of ${sum('runs')} runs, ${(share * 100).toFixed(1)} %.`);
if (share < COMPLETED_SHARE) process.exitCode = 1;
const wrong = all.filter(({ faults }) => faults.length > 0).map(({ seed }) => seed);
if (wrong.length > 0) {
  console.log(
    `\nWrong: seeds ${wrong.join(', ')}. Again: npm run bench -- chaos --seed ${wrong[0]} --faults ${perSeed} --per-seed ${perSeed} --kinds ${kinds.join(',')}`,
  );
  process.exitCode = 1;
}
