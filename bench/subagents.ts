/** Compares agents of one reply of the lead that run at the same time with agents that run one after the other. */
import { Command } from 'commander';
import { MOST_PARALLEL_TOOLS } from '../src/run/limits/limits.js';
import { startArena } from './support/arena.js';
import { callsOf, type RunShape, singleCalls } from './support/run-script.js';
import { compareTogether } from './support/together.js';

const { agents, rounds, modelMs } = new Command('subagents')
  .option('--agents <n>', `agents of the lead, ${MOST_PARALLEL_TOOLS} at most`, Number, 10)
  .option('--rounds <n>', 'runs of each kind, in turns; the median is shown', Number, 3)
  .option('--model-ms <n>', 'what the model takes for a call, milliseconds', Number, 1_000)
  .parse()
  .opts<{ agents: number; rounds: number; modelMs: number }>();
/** Each agent makes two tool calls in two turns, and reports. */
const shape: RunShape = { mode: 'lead', agents, toolCalls: singleCalls(2) };

const calls = callsOf(shape);
console.log(
  `subagents: a lead and ${agents} agents, ${calls.model} model calls of ${modelMs} ms and ${calls.tool} tool calls of 30 ms`,
);
const arena = await startArena({ database: 'memory', shape, toolBytes: 200, modelMs });
try {
  await compareTogether(arena, [1, agents], rounds);
} finally {
  await arena.close();
}
