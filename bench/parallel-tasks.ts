/** Compares independent tasks of a plan that run in parallel with tasks that run one after the other. */
import { Command } from 'commander';
import { startArena } from './support/arena.js';
import { callsOf, type RunShape, singleCalls } from './support/run-script.js';
import { compareTogether } from './support/together.js';

const options = new Command('parallel-tasks')
  .option('--tasks <n>', 'tasks of the plan', Number, 6)
  .option(
    '--at-once <list>',
    'values of parallelTasks; the first is what the others are compared with',
    '1,3',
  )
  .option('--rounds <n>', 'runs of each, in turns; the median is shown', Number, 3)
  .option('--model-ms <n>', 'what a model call takes, milliseconds', Number, 1_000)
  .parse()
  .opts<{ tasks: number; atOnce: string; rounds: number; modelMs: number }>();
const { tasks, rounds, modelMs } = options;
/** Each task makes two tool calls in two turns, and reports. */
const shape: RunShape = { mode: 'team', tasks, toolCalls: singleCalls(2) };

const calls = callsOf(shape);
console.log(
  `parallel-tasks: ${tasks} tasks; ${calls.model} model calls of ${modelMs} ms and ${calls.tool} tool calls of 30 ms`,
);
const arena = await startArena({ database: 'memory', shape, toolBytes: 200, modelMs });
try {
  await compareTogether(arena, options.atOnce.split(',').map(Number), rounds, 'parallelTasks');
} finally {
  await arena.close();
}
