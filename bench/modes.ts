/** Measures what each mode costs: many runs at once with the same scripted model. */
import { Command, Option } from 'commander';
import { MODES, type Mode } from '../src/run/position/modes.js';
import { type Database, startArena } from './support/arena.js';
import { machine, table } from './support/machine.js';
import { cells, FIGURE_TITLES, type Figures, measure, middle } from './support/measure.js';
import { endProcess } from './support/processes.js';
import { callsOf, type RunShape, singleCalls } from './support/run-script.js';
import { endOf, startRun } from './support/runs.js';

const options = new Command('modes')
  .option('--runs <n>', 'runs at once', Number, 100)
  .option('--singles <n>', 'runs alone before them; the median is shown', Number, 5)
  .option('--modes <list>', 'of these', MODES.join(','))
  .addOption(new Option('--database <kind>').choices(['memory', 'file']).default('memory'))
  .option('--model-ms <n>', 'what the model takes for a call, milliseconds', Number, 30)
  .parse()
  .opts<{ runs: number; singles: number; modes: string; database: Database; modelMs: number }>();
const { runs, singles, database, modelMs } = options;

console.log(
  `modes: ten tool calls of 30 ms a run (direct: none), model calls of ${modelMs} ms, server on ${database}`,
);
console.log(`${machine()}\n`);
const rows: string[][] = [];
for (const mode of options.modes.split(',') as Mode[]) {
  const shape = shapeOf(mode);
  const { model, tool } = callsOf(shape);
  const { alone, many } = await measured(shape);
  for (const [count, figures] of [
    [1, alone],
    [runs, many],
  ] as const) {
    if (figures !== null)
      rows.push([mode, `${model} + ${tool}`, `${count}`, ...cells(figures), `${figures.warnings}`]);
  }
}
console.log(table(['mode', 'model + tool calls', 'runs', ...FIGURE_TITLES, 'warnings'], rows));

/** The lead has two agents, each with five of the ten calls in its three rounds. */
function shapeOf(mode: Mode): RunShape {
  if (mode === 'direct') return { mode, toolCalls: [] };
  return mode === 'lead' ? { mode, agents: 2, toolCalls: [3, 2] } : { mode, toolCalls: singleCalls(10) };
}

/** Each mode has its own server, model and workers. */
async function measured(shape: RunShape): Promise<{ alone: Figures | null; many: Figures | null }> {
  const arena = await startArena({ database, shape, toolBytes: 200, modelMs });
  const onWorker = async (taskQueue: string, counts: number[]) => {
    if (counts.length === 0) return null;
    const worker = await arena.startWorker(taskQueue);
    const start = () => startRun(arena, taskQueue);
    const all: Figures[] = [];
    for (const count of counts)
      all.push(await measure({ ...arena, worker, start, end: handle => endOf(handle, shape) }, count));
    await endProcess(worker);
    return middle(all);
  };
  try {
    return {
      alone: await onWorker('bench-one', Array(singles).fill(1)),
      many: await onWorker('bench-many', [runs]),
    };
  } finally {
    await arena.close();
  }
}
