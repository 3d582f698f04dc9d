/** Measures one run and many at once of the reference plan: wall time, CPU and memory of the worker, history. */
import type { WorkflowHandle } from '@temporalio/client';
import { Command, Option } from 'commander';
import { type Arena, type Database, startArena } from './support/arena.js';
import { machine, quantile, table } from './support/machine.js';
import { cells, FIGURE_TITLES, type Figures, measure, middle } from './support/measure.js';
import { endProcess } from './support/processes.js';
import { callsOf, type RunShape, singleCalls } from './support/run-script.js';
import { endOf, startRun, toolTimesOf } from './support/runs.js';

/**
 * `equal` makes the 11 model and 10 tool calls that ten tool turns and an answer take in a framework without
 * a team: planner, 9 turns of the executor, two of them with two calls, verifier. `full` gives the executor
 * ten tool turns of one call each, and so has two model calls more.
 */
const PLANS: Record<string, RunShape> = {
  equal: { toolCalls: [2, 2, ...singleCalls(6)] },
  full: { toolCalls: singleCalls(10) },
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
const shape = PLANS[options.plan] ?? { toolCalls: singleCalls(10) };
const calls = callsOf(shape);

console.log(
  `load: plan "${options.plan}" (${calls.model} model calls of ${options.modelMs} ms, ${calls.tool} tool calls of 30 ms)`,
);
console.log(`${machine()}\n`);
/** The time from scheduling a tool call to its result, which includes the tool's own 30 ms. */
const TOOL_TITLES = ['tool call ms, median', 'p95', 'most'];
const rows: string[][] = [];
for (const database of options.database === 'both' ? (['memory', 'file'] as const) : [options.database]) {
  const arena = await startArena({ database, shape, toolBytes: 200, modelMs: options.modelMs });
  try {
    if (options.singles > 0)
      rows.push([database, '1', ...(await onWorker(arena, 'bench-one', Array(options.singles).fill(1)))]);
    const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
    const many = await onWorker(arena, 'bench-many', [options.runs], profile);
    rows.push([database, `${options.runs}`, ...many]);
  } finally {
    await arena.close();
  }
}
console.log(table(['database', 'runs', ...FIGURE_TITLES, 'warnings', ...TOOL_TITLES], rows));

/**
 * Plays each of these numbers of runs at once, one after the other on one worker. Returns the medians, and the times
 * of all tool calls.
 */
async function onWorker(
  arena: Arena,
  taskQueue: string,
  counts: number[],
  nodeArgs: string[] = [],
): Promise<string[]> {
  const worker = await arena.startWorker(taskQueue, nodeArgs);
  const all: Figures[] = [];
  const handles: WorkflowHandle[] = [];
  const start = () => startRun(arena, taskQueue);
  const end = async (handle: WorkflowHandle) => {
    await endOf(handle, shape);
    handles.push(handle);
  };
  for (const runs of counts) all.push(await measure({ ...arena, worker, start, end }, runs));
  await endProcess(worker);
  const times = (await Promise.all(handles.map(toolTimesOf))).flat();
  const figures = middle(all);
  const shares = [0.5, 0.95, 1].map(share => quantile(times, share).toFixed(0));
  return [...cells(figures), `${figures.warnings}`, ...shares];
}
