/** Compares reads of one reply that run at the same time with reads that run one after the other. */
import { Command } from 'commander';
import { startArena } from './support/arena.js';
import { callsOf, type RunShape } from './support/run-script.js';
import { compareTogether } from './support/together.js';

const options = new Command('parallel-reads')
  .option('--reads <n>', 'tool calls of each reply', Number, 8)
  .option('--turns <n>', 'replies that make them', Number, 3)
  .option(
    '--at-once <list>',
    'values of parallelTools; the first is what the others are compared with',
    '1,4,8',
  )
  .option('--rounds <n>', 'runs of each, in turns; the median is shown', Number, 3)
  .option('--tool-ms <n>', 'what a tool call takes, milliseconds', Number, 500)
  .option('--model-ms <n>', 'what a model call takes, milliseconds', Number, 500)
  .parse()
  .opts<{
    reads: number;
    turns: number;
    atOnce: string;
    rounds: number;
    toolMs: number;
    modelMs: number;
  }>();
const { reads, turns, rounds, toolMs, modelMs } = options;
const shape: RunShape = { mode: 'react', toolCalls: Array(turns).fill(reads) };

const calls = callsOf(shape);
console.log(
  `parallel-reads: ${turns} replies with ${reads} reads each; ${calls.model} model calls of ${modelMs} ms, ${calls.tool} tool calls of ${toolMs} ms`,
);
const arena = await startArena({ database: 'memory', shape, toolBytes: 200, waitMs: toolMs, modelMs });
try {
  await compareTogether(arena, options.atOnce.split(',').map(Number), rounds);
} finally {
  await arena.close();
}
