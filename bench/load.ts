/** One run and many at once of the reference plan: wall time, CPU and memory of the worker, history. */
import { Command, Option } from 'commander';
import { type Arena, type Database, startArena } from './support/arena.js';
import { machine, table } from './support/machine.js';
import { cells, FIGURE_TITLES, type Figures, measure, middle } from './support/measure.js';
import { callsOf, type PlanShape } from './support/plan-script.js';
import { endProcess } from './support/processes.js';
import { endOf, startRun } from './support/runs.js';

/**
 * `equal` makes the 11 model and 10 tool calls that ten tool turns and an answer take in a framework without
 * a team: planner, 9 turns of the executor, two of them with two calls, verifier. `full` gives the executor
 * ten tool turns of one call each, and so has two model calls more.
 */
const PLANS: Record<string, PlanShape> = {
  equal: { toolTurns: 8, doubleTurns: 2 },
  full: { toolTurns: 10, doubleTurns: 0 },
};

interface Options {
  runs: number;
  singles: number;
  database: Database | 'both';
  plan: string;
  modelMs: number;
  profile?: string;
}

const options = new Command('load')
  .option('--runs <n>', 'runs at once', Number, 100)
  .option('--singles <n>', 'runs alone before them; the median is shown', Number, 5)
  .addOption(new Option('--database <kind>').choices(['memory', 'file', 'both']).default('both'))
  .addOption(new Option('--plan <name>').choices(Object.keys(PLANS)).default('equal'))
  .option('--model-ms <n>', 'what the model takes for a call, milliseconds', Number, 30)
  .option('--profile <dir>', 'write a CPU profile of the worker under load into this folder')
  .parse()
  .opts<Options>();
const shape = PLANS[options.plan] ?? { toolTurns: 10, doubleTurns: 0 };
const calls = callsOf(shape);

console.log(
  `load: plan "${options.plan}" (${calls.model} model calls of ${options.modelMs} ms, ${calls.tool} tool calls of 30 ms)`,
);
console.log(`${machine()}\n`);
const rows: string[][] = [];
for (const database of options.database === 'both' ? (['memory', 'file'] as const) : [options.database]) {
  const arena = await startArena({ database, shape, toolBytes: 200, modelMs: options.modelMs });
  try {
    const alone = await onWorker(arena, 'bench-one', Array(options.singles).fill(1));
    if (alone.length > 0) rows.push(row(database, 1, middle(alone)));
    const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
    const many = await onWorker(arena, 'bench-many', [options.runs], profile);
    rows.push(...many.map(figures => row(database, options.runs, figures)));
  } finally {
    await arena.close();
  }
}
console.log(table(['database', 'runs', ...FIGURE_TITLES, 'warnings'], rows));

/** Each number of runs at once, one after the other on one worker. */
async function onWorker(
  arena: Arena,
  taskQueue: string,
  counts: number[],
  nodeArgs: string[] = [],
): Promise<Figures[]> {
  const worker = await arena.startWorker(taskQueue, nodeArgs);
  const all: Figures[] = [];
  for (const runs of counts) {
    const start = () => startRun(arena, taskQueue);
    all.push(await measure({ ...arena, worker, start, end: handle => endOf(handle, shape) }, runs));
  }
  await endProcess(worker);
  return all;
}

function row(database: Database, runs: number, figures: Figures): string[] {
  return [database, String(runs), ...cells(figures), String(figures.warnings)];
}
