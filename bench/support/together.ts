/** Plays the same run with different numbers of parallel calls or tasks, and compares the figures. */
import type { Limits } from '../../src/run/limits/limits.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import type { Arena } from './arena.js';
import { machine, median, table } from './machine.js';
import { measure } from './measure.js';
import { endOf, historyOf, historyOfAgents, startRun } from './runs.js';

/** Figures of a run by their titles, each with its number of decimals. */
type Figures = Record<string, [value: number, digits: number]>;

/**
 * Runs the arena's shape with each of these numbers as the limit, `rounds` times in turns. Prints the medians, each
 * also as a share of the first number's. The process fails if the tokens of two runs differ, because parallel tool
 * calls are the same work.
 */
export async function compareTogether(
  arena: Arena,
  counts: readonly number[],
  rounds: number,
  limit: 'parallelTools' | 'parallelTasks' = 'parallelTools',
): Promise<void> {
  console.log(`${machine()}, server in memory\n`);
  const measured = await startMeasuring(arena, limit);
  // The first run is not measured: it opens connections, loads code and starts the tool server.
  await measured(counts.at(-1) ?? 1);
  const figures = new Map<number, Figures[]>(counts.map(count => [count, []]));
  const tokens = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    for (const count of counts) {
      const { usage, ...rest } = await measured(count);
      figures.get(count)?.push(rest.figures);
      tokens.add(`${usage.inputTokens} in, ${usage.outputTokens} out`);
    }
  }
  print(figures);
  console.log(`\nTokens of each run: ${[...tokens].join('; ')}.`);
  // Parallel tasks do not read each other's messages, so their tokens differ.
  if (tokens.size > 1 && limit === 'parallelTools') process.exitCode = 1;
}

/** Returns a function that measures one run with this number of parallel calls or tasks. */
async function startMeasuring(arena: Arena, limit: keyof Limits) {
  const taskQueue = 'bench-together';
  const { client, shape } = arena;
  const worker = await arena.startWorker(taskQueue);
  return async (count: number): Promise<Pick<RunResult, 'usage'> & { figures: Figures }> => {
    const ended: RunResult[] = [];
    const { wallSeconds, workerCpu, serverCpu, residentMb } = await measure(
      {
        ...{ ...arena, worker },
        start: () => startRun(arena, taskQueue, { [limit]: count }),
        end: async handle => ended.push(await endOf(handle, shape)),
      },
      1,
    );
    const [result] = ended;
    if (!result) throw new Error('the run has no result');
    const own = await historyOf(client, result.id);
    const ofAgents = await historyOfAgents(client, result.id, shape);
    const { agents = 0 } = shape;
    return {
      usage: result.usage,
      figures: {
        'wall s': [wallSeconds, 2],
        'worker CPU s': [workerCpu, 2],
        'server CPU s': [serverCpu, 2],
        'resident MB': [residentMb, 0],
        'KB of history': [own.bytes / 1_000, 1],
        ...(agents > 0 ? { "KB of an agent's": [ofAgents.bytes / agents / 1_000, 1] } : {}),
      },
    };
  };
}

function print(all: ReadonlyMap<number, readonly Figures[]>): void {
  const medians = [...all].map(([count, runs]) => ({ count, values: middle(runs) }));
  const first = medians[0]?.values ?? {};
  const rows = medians.flatMap(({ count, values }, index) => {
    const cells = Object.values(values).map(([value, digits]) => value.toFixed(digits));
    const shares = Object.entries(values).map(([title, [value]]) => share(value, first[title]));
    return [[`${count}`, ...cells], ...(index > 0 ? [[`${count} / ${medians[0]?.count}`, ...shares]] : [])];
  });
  console.log(table(['at the same time', ...Object.keys(first)], rows));
}

function middle(runs: readonly Figures[]): Figures {
  const [one = {}] = runs;
  return Object.fromEntries(
    Object.entries(one).map(([title, [, digits]]) => [
      title,
      [median(runs.map(run => run[title]?.[0] ?? Number.NaN)), digits],
    ]),
  );
}

function share(value: number, [first]: Figures[string] = [Number.NaN, 0]): string {
  return (value / first).toFixed(2);
}
