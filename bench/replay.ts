/** Measures what a worker pays to take a run over: the CPU time of replaying its history, at 50, 350 and 600 turns. */
import { Worker } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { Command } from 'commander';
import { stateQuery } from '../src/workflows/run/definitions.js';
import { partsOf, workflowBundle } from '../test/support/histories.js';
import { quietTemporal } from '../test/support/quiet.js';
import { type Arena, startArena } from './support/arena.js';
import { machine, table } from './support/machine.js';
import { type RunShape, singleCalls } from './support/run-script.js';
import { endOf, startRun } from './support/runs.js';

/** A workflow task may take 10 s before the server gives it to another worker. */
const LIMIT_SECONDS = 4;
/**
 * The most that a turn of the longest run may cost, relative to one of the middle run. The shortest run is left out,
 * because it includes the start.
 */
const LINEAR_FACTOR = 1.5;

const options = new Command('replay')
  .option('--turns <list>', 'lengths of runs, in tool turns', '50,350,600')
  .option(
    '--bytes <n>',
    'size of a tool result: together they fill the context many times over',
    Number,
    12_000,
  )
  .parse()
  .opts<{ turns: string; bytes: number }>();

interface Replay {
  turns: number;
  cpuSeconds: number;
}

console.log(`replay: one tool call a turn, results of ${options.bytes} bytes, model and tool without delay`);
console.log(`${machine()}, server in memory\n`);
quietTemporal();
// Replays run in this process, where the SDK would record the stack of each promise. Our workers do not record them.
Object.assign(globalHandlers, { setPromiseHook: () => {} });
const replays: Replay[] = [];
const rows: string[][] = [];
for (const toolTurns of options.turns.split(',').map(Number)) {
  const shape: RunShape = { toolCalls: singleCalls(toolTurns) };
  const arena = await startArena({ database: 'memory', shape, toolBytes: options.bytes, waitMs: 0 });
  try {
    const row = await measure(arena, shape);
    rows.push(row);
    console.error(row.join('  '));
  } finally {
    await arena.close();
  }
}
console.log(table(['tool turns', 'events', 'parts', 'trims', 'CPU s', 'ms a turn'], rows));
judge();

async function measure(arena: Arena, shape: RunShape): Promise<string[]> {
  await arena.startWorker('bench');
  const handle = await startRun(arena, 'bench');
  await endOf(handle, shape);
  // A query replays the ended run too, and must get an answer.
  const { threads } = (await handle.query(stateQuery)).internals;
  const trims = Object.values(threads).reduce((sum, thread) => sum + thread.epoch, 0);
  const parts = await partsOf(arena.client, handle);
  const events = parts.reduce((sum, part) => sum + (part.history.events?.length ?? 0), 0);
  const cpuSeconds = await cpuOf(parts);
  const toolTurns = shape.toolCalls.length;
  replays.push({ turns: toolTurns, cpuSeconds });
  const perTurn = (cpuSeconds * 1_000) / toolTurns;
  return [toolTurns, events, parts.length, trims, cpuSeconds.toFixed(2), perTurn.toFixed(1)].map(String);
}

/** Returns the CPU time of one worker that replays all segments, without its own start. */
async function cpuOf(parts: Awaited<ReturnType<typeof partsOf>>): Promise<number> {
  const bundle = { workflowBundle: workflowBundle(), sinks: { steersman: { offer: { fn: () => {} } } } };
  // The first replay is not measured, because it loads the code of SDK and bundle.
  await drain(Worker.runReplayHistories(bundle, parts.slice(0, 1)));
  const before = process.cpuUsage();
  await drain(Worker.runReplayHistories(bundle, parts));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function drain(replaysOfParts: ReturnType<typeof Worker.runReplayHistories>): Promise<void> {
  for await (const { workflowId, error } of replaysOfParts)
    if (error) throw new Error(`${workflowId} does not replay: ${error.message}`);
}

function judge(): void {
  const last = replays.at(-1);
  const middle = replays.at(-2);
  if (!last || !middle) return;
  const factor = last.cpuSeconds / last.turns / (middle.cpuSeconds / middle.turns);
  console.log(`\n${last.turns} turns take ${last.cpuSeconds.toFixed(2)} CPU s (at most ${LIMIT_SECONDS});`);
  console.log(`a turn costs ${factor.toFixed(2)} times that of the run before (at most ${LINEAR_FACTOR}).`);
  if (!(last.cpuSeconds <= LIMIT_SECONDS) || !(factor <= LINEAR_FACTOR)) process.exitCode = 1;
}
