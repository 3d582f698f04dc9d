/**
 * Makes the same calls by Steersman, by the nearest other system, and by bare Temporal, and measures what each costs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { projectRoot } from '../src/shared/process/package.js';
import type { Database } from './support/arena.js';
import { machine, table } from './support/machine.js';
import { cells, FIGURE_TITLES, type Figures, measure, middle } from './support/measure.js';
import { endProcess } from './support/processes.js';
import { CALLS, floorSide, rivalSide, type Side, steersmanSide } from './support/sides.js';

const PROMPTS = ['role', 'sentence'] as const;

const options = new Command('rival')
  .option('--runs <n>', 'runs at once', Number, 100)
  .option('--singles <n>', 'runs alone before them; the median is shown', Number, 5)
  .option('--model-ms <n>', 'what model and tool take for a call, milliseconds', Number, 30)
  .addOption(new Option('--database <kind>').choices(['memory', 'file']).default('memory'))
  .addOption(
    new Option('--prompt <kind>', "the rival's: as long as our executor's, or one sentence")
      .choices(PROMPTS)
      .default('role'),
  )
  .parse()
  .opts<{
    runs: number;
    singles: number;
    modelMs: number;
    database: Database;
    prompt: (typeof PROMPTS)[number];
  }>();
const { runs, singles, modelMs: waitMs, database } = options;
const prompt =
  options.prompt === 'sentence'
    ? 'You are a helpful assistant: say what the records show.'
    : readFileSync(join(projectRoot, 'prompts/core/executor.md'), 'utf8');

interface Both {
  name: string;
  alone: Figures;
  many: Figures;
}

console.log(
  `rival: ${CALLS.model} model and ${CALLS.tool} tool calls of ${waitMs} ms each, server on ${database}, the rival's prompt of ${prompt.length} characters`,
);
console.log(`${machine()}\n`);
const sideOptions = { database, waitMs, toolBytes: 200 };
const floor = await measured(await floorSide(sideOptions));
const rival = await measured(await rivalSide(sideOptions, prompt));
const react = await measured(await steersmanSide(sideOptions, 'react'));
const team = await measured(await steersmanSide(sideOptions, 'team'));
const rows = [
  ...[floor, rival, react, team].flatMap(side => row(side)),
  ...[react, team].flatMap(ours => [rival, floor].flatMap(other => ratios(ours, other))),
];
console.log(table(['', 'runs', ...FIGURE_TITLES], rows));

/** Measures single runs on one worker, then many at once on another. */
async function measured(side: Side): Promise<Both> {
  try {
    const [alone, many] = [
      await onWorker(side, 'bench-one', 1, singles),
      await onWorker(side, 'bench-many', runs, 1),
    ];
    return { name: side.name, alone, many };
  } finally {
    await side.close();
  }
}

async function onWorker(side: Side, taskQueue: string, atOnce: number, times: number): Promise<Figures> {
  const worker = await side.startWorker(taskQueue);
  const all: Figures[] = [];
  for (let time = 0; time < times; time++) {
    all.push(await measure({ ...side, worker, start: () => side.start(taskQueue) }, atOnce));
  }
  await endProcess(worker);
  return middle(all);
}

function row({ name, alone, many }: Both): string[][] {
  return [
    [name, '1', ...cells(alone)],
    ['', String(runs), ...cells(many)],
  ];
}

function ratios(ours: Both, other: Both): string[][] {
  return [
    [`${ours.name} / ${other.name}`, '1', ...quotients(ours.alone, other.alone)],
    ['', String(runs), ...quotients(ours.many, other.many)],
  ];
}

function quotients(a: Figures, b: Figures): string[] {
  const keys = ['wallSeconds', 'workerCpu', 'serverCpu', 'residentMb', 'peakMb', 'bytes', 'events'] as const;
  return keys.map(key => (a[key] / b[key]).toFixed(2));
}
