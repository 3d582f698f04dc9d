/** One run and many at once of the reference plan: wall time, CPU and memory of the worker, history. */
import { Command, Option } from 'commander';
import { type Arena, type Database, startArena } from './support/arena.js';
import { machine, median, table } from './support/machine.js';
import { callsOf, type PlanShape } from './support/plan-script.js';
import { endProcess, useOf } from './support/processes.js';
import { endOf, historyOf, startRun } from './support/runs.js';

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
  profile?: string;
}

interface Figures {
  wallSeconds: number;
  workerCpu: number;
  serverCpu: number;
  residentMb: number;
  peakMb: number;
  bytes: number;
  events: number;
}

const options = new Command('load')
  .option('--runs <n>', 'runs at once', Number, 100)
  .option('--singles <n>', 'runs alone before them; the median is shown', Number, 5)
  .addOption(new Option('--database <kind>').choices(['memory', 'file', 'both']).default('both'))
  .addOption(new Option('--plan <name>').choices(Object.keys(PLANS)).default('equal'))
  .option('--profile <dir>', 'write a CPU profile of the worker under load into this folder')
  .parse()
  .opts<Options>();
const shape = PLANS[options.plan] ?? { toolTurns: 10, doubleTurns: 0 };
const calls = callsOf(shape);

console.log(
  `load: plan "${options.plan}" (${calls.model} model calls, ${calls.tool} tool calls of 30 ms each)`,
);
console.log(`${machine()}\n`);
const rows: string[][] = [];
for (const database of options.database === 'both' ? (['memory', 'file'] as const) : [options.database]) {
  const arena = await startArena({ database, shape, toolBytes: 200 });
  try {
    const alone: Figures[] = [];
    const single = await arena.startWorker('bench-one');
    for (let i = 0; i < options.singles; i++) alone.push(await measure(arena, single.pid, 'bench-one', 1));
    await endProcess(single);
    if (alone.length > 0) rows.push(row(database, 1, middle(alone)));
    const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
    const many = await arena.startWorker('bench-many', profile);
    rows.push(row(database, options.runs, await measure(arena, many.pid, 'bench-many', options.runs)));
    await endProcess(many);
  } finally {
    await arena.close();
  }
}
const head = [
  'database',
  'runs',
  'wall s',
  'worker CPU s',
  'server CPU s',
  'resident MB',
  'peak MB',
  'KB a run',
  'events',
];
console.log(table(head, rows));

/** Starts `runs` runs at once and waits for all. Memory is the worker's after them, and at its highest. */
async function measure(
  arena: Arena,
  pid: number | undefined,
  taskQueue: string,
  runs: number,
): Promise<Figures> {
  const [worker = 0, server = 0] = [pid, arena.server.pid];
  const before = { worker: useOf(worker), server: useOf(server) };
  const from = performance.now();
  const handles = await Promise.all(Array.from({ length: runs }, () => startRun(arena, taskQueue)));
  await Promise.all(handles.map(handle => endOf(handle, shape)));
  const wallSeconds = (performance.now() - from) / 1_000;
  const after = { worker: useOf(worker), server: useOf(server) };
  const history = await historyOf(arena.client, handles[0]?.workflowId ?? '');
  return {
    wallSeconds,
    workerCpu: after.worker.cpuSeconds - before.worker.cpuSeconds,
    serverCpu: after.server.cpuSeconds - before.server.cpuSeconds,
    residentMb: after.worker.residentMb,
    peakMb: after.worker.peakMb,
    ...history,
  };
}

/** The first run also starts the tool server and warms the code up: the median is one of the others. */
function middle(all: Figures[]): Figures {
  const pick = (key: keyof Figures) => median(all.map(figures => figures[key]));
  return {
    wallSeconds: pick('wallSeconds'),
    workerCpu: pick('workerCpu'),
    serverCpu: pick('serverCpu'),
    residentMb: pick('residentMb'),
    peakMb: pick('peakMb'),
    bytes: pick('bytes'),
    events: pick('events'),
  };
}

function row(database: Database, runs: number, figures: Figures): string[] {
  const { wallSeconds, workerCpu, serverCpu, residentMb, peakMb, bytes, events } = figures;
  const seconds = [wallSeconds, workerCpu, serverCpu].map(value => value.toFixed(2));
  return [
    ...[database, String(runs), ...seconds, residentMb.toFixed(0), peakMb.toFixed(0)],
    ...[(bytes / 1_000).toFixed(1), String(events)],
  ];
}
