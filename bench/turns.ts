/** Measures what a turn costs beyond the model's and the tool's own time, against a bare loop without Temporal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { projectRoot } from '../src/shared/process/package.js';
import { nativeConnection } from '../src/worker/connect.js';
import { createSteersmanWorker } from '../src/worker/create-worker.js';
import { withoutStackTraces } from '../src/worker/run-worker.js';
import { quietTemporal } from '../test/support/quiet.js';
import { type Arena, startArena } from './support/arena.js';
import { type BareLoop, startBareLoop } from './support/bare-loop.js';
import { machine, median, table } from './support/machine.js';
import { type RunShape, singleCalls } from './support/run-script.js';
import { endOf, startRun } from './support/runs.js';

const options = new Command('turns')
  .option('--turns <n>', 'turns with one tool call each, in a run', Number, 40)
  .option('--rounds <n>', 'measurements of each, in turns', Number, 5)
  .option('--database <kind>', "the server's: memory or file", 'memory')
  .parse()
  .opts<{ turns: number; rounds: number; database: 'memory' | 'file' }>();
const TASK_QUEUE = 'bench-turns';
const shape: RunShape = { toolCalls: singleCalls(options.turns) };

/** Milliseconds of one turn. */
interface Cost {
  wallMs: number;
  cpuMs: number;
}

const { database } = options;
console.log(`turns: ${options.turns} turns a run, model 30 ms, one tool of 30 ms a turn, 0.2 KB results`);
console.log(`${machine()}, server on ${database}; worker and bare loop in one process, in turns\n`);
quietTemporal();
withoutStackTraces();
const arena = await startArena({ database, shape, toolBytes: 200 });
try {
  const worker = await startWorkerHere(arena);
  const bare = await startBareLoop(bareOptions(arena));
  // The first run of both sides is not measured: it opens connections, loads code and starts the tool server.
  const costs = { bare: [] as Cost[], run: [] as Cost[] };
  await measure(() => bare.run(shape));
  await measure(() => wholeRun(arena));
  for (let round = 0; round < options.rounds; round++) await measureBoth(bare, costs);
  print(costs.bare, costs.run);
  await bare.close();
  await worker.end();
} finally {
  await arena.close();
}

async function measureBoth(bare: BareLoop, costs: { bare: Cost[]; run: Cost[] }): Promise<void> {
  costs.bare.push(await measure(() => bare.run(shape)));
  costs.run.push(await measure(() => wholeRun(arena)));
}

async function wholeRun(on: Arena): Promise<void> {
  await endOf(await startRun(on, TASK_QUEUE), shape);
}

async function measure(work: () => Promise<void>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  await work();
  const wallMs = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: wallMs / options.turns, cpuMs: (user + system) / 1_000 / options.turns };
}

function print(bare: Cost[], run: Cost[]): void {
  const best = (costs: Cost[], key: keyof Cost) => Math.min(...costs.map(cost => cost[key]));
  const middle = (costs: Cost[], key: keyof Cost) => median(costs.map(cost => cost[key]));
  const rows = (['wallMs', 'cpuMs'] as const).map(key => {
    const values = [best(bare, key), best(run, key), best(run, key) - best(bare, key)];
    const medians = [middle(bare, key), middle(run, key)];
    return [key === 'wallMs' ? 'wall' : 'CPU', ...[...values, ...medians].map(value => value.toFixed(1))];
  });
  const titles = ['bare loop', 'Steersman', 'beyond it', 'bare, median', 'Steersman, median'];
  console.log(table(['ms a turn, best', ...titles], rows));
}

async function startWorkerHere(on: Arena): Promise<{ end(): Promise<void> }> {
  process.env.OPENAI_BASE_URL = on.modelUrl;
  process.env.OPENAI_API_KEY = 'bench';
  const connection = await nativeConnection({ address: on.address });
  const { configDir, home } = on;
  const { worker, shutdown, close } = await createSteersmanWorker({
    ...{ connection, configDir, home, namespace: 'default', taskQueue: TASK_QUEUE, localStack: true },
  });
  const running = worker.run();
  return {
    end: async () => {
      shutdown();
      await running;
      await close();
      await connection.close();
    },
  };
}

function bareOptions({ modelUrl, configDir }: Arena) {
  const { mcpServers } = JSON.parse(readFileSync(join(configDir, '.mcp.json'), 'utf8'));
  const system = readFileSync(join(projectRoot, 'prompts/core/executor.md'), 'utf8');
  return { modelUrl, system, server: mcpServers.bench };
}
