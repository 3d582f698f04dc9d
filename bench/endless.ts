/**
 * Plays one run of thousands of turns, goals and messages, whose worker is killed. A turn must cost the same at the
 * end as at the beginning.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { Command } from 'commander';
import { WORKFLOW_TYPE } from '../src/run/agents/run-config.js';
import { finishSignal, followUpSignal, steerSignal } from '../src/workflows/run/definitions.js';
import { type Arena, type Database, startArena } from './support/arena.js';
import { machine, median, table } from './support/machine.js';
import { processUse } from './support/processes.js';

const options = new Command('endless')
  .description('Each goal has ten turns and ten messages: nine that steer and the next goal.')
  .option('--turns <n>', 'model replies', Number, 10_000)
  .option('--kills <n>', 'how often the only worker is killed, evenly spread', Number, 3)
  .option('--bytes <n>', 'size of a tool result', Number, 1_000)
  .option('--database <kind>', "the server's: memory or file", 'file')
  .option('--plot <file>', 'where a drawing of it is written, as SVG')
  .parse()
  .opts<{ turns: number; kills: number; bytes: number; database: Database; plot?: string }>();
const WINDOWS = 100;
const TURNS_OF_GOAL = 10;
const TASK_QUEUE = 'bench-endless';
const MUCH = 1_000_000;
const LIMITS = {
  ...{
    execution: MUCH,
    replies: MUCH,
    turns: MUCH,
    totalTurns: MUCH,
    tokens: MUCH * MUCH,
    wallTimeMs: 86_400_000,
  },
};

/** A hundredth of the run. */
interface Window {
  /** At its end. */
  turn: number;
  msOfTurn: number;
  bytesOfTurn: number;
  residentMb: number;
}

async function measure(on: Arena): Promise<Window[]> {
  const handle = await on.client.workflow.start(WORKFLOW_TYPE, {
    args: [{ goal: goal(1), settings: settingsIn(on.workspace) }],
    taskQueue: TASK_QUEUE,
    workflowId: `bench-${randomUUID().slice(0, 8)}`,
  });
  const people = new People(handle, on.model);
  let worker = await on.startWorker(TASK_QUEUE);
  const history = new HistoryGrowth(handle);
  const windows: Window[] = [];
  const step = Math.max(TURNS_OF_GOAL, Math.round(options.turns / WINDOWS));
  const kills = Array.from({ length: options.kills }, (_, nth) =>
    Math.round(((nth + 1) * options.turns) / (options.kills + 1)),
  );
  for (let turn = step; turn <= options.turns; turn += step) {
    const from = { at: performance.now(), turn: people.turn };
    await people.reached(turn);
    const turns = people.turn - from.turn;
    windows.push({
      turn,
      msOfTurn: (performance.now() - from.at) / turns,
      bytesOfTurn: (await history.since()) / turns,
      residentMb: worker.pid ? processUse(worker.pid).residentMb : Number.NaN,
    });
    if (kills[0] !== undefined && turn >= kills[0]) {
      kills.shift();
      worker = await killed(on, worker, turn);
    }
  }
  await people.end();
  const result = await handle.result();
  console.log(
    `goals: ${result.goals.length} told of at the end, cause ${result.cause}, ${people.sent} messages sent`,
  );
  return windows;
}

function goal(number: number): string {
  return `Goal ${number}: say what the next ${TURNS_OF_GOAL - 1} records show.`;
}

function settingsIn(workspace: string) {
  return { mode: 'react', workspace, autoApprove: true, keepOpenSeconds: 3_600, limits: LIMITS };
}

async function killed(on: Arena, worker: ChildProcess, turn: number): Promise<ChildProcess> {
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
  console.log(`kill -9 of the worker after turn ${turn}`);
  return on.startWorker(TASK_QUEUE);
}

/** The people who talk to the run: they send a message in each turn, and in the last turn of a goal the next goal. */
class People {
  turn = 0;
  sent = 0;
  readonly #handle: WorkflowHandle;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(handle: WorkflowHandle, model: ChildProcess) {
    this.#handle = handle;
    model.on('message', ({ turn }: { turn: number }) => {
      this.turn = turn;
      this.#sending = this.#sending.then(() => this.#say(turn));
    });
  }

  async #say(turn: number): Promise<void> {
    if (turn >= options.turns) return;
    const nth = turn % TURNS_OF_GOAL;
    // A goal ends with its answer: a message sent then would become a goal of its own.
    if (nth === 0) return;
    // The current goal ends with its tenth turn, so send the next one before.
    if (nth === TURNS_OF_GOAL - 1) {
      const text = goal(Math.ceil(turn / TURNS_OF_GOAL) + 1);
      await this.#handle.signal(followUpSignal, { id: `goal-${turn}`, text });
      this.sent += 1;
      return;
    }
    for (const which of nth === 1 ? ['first', 'second'] : ['only']) {
      const text = `Note ${turn}, the ${which}.`;
      await this.#handle.signal(steerSignal, { id: `note-${turn}-${which}`, text, when: 'after-batch' });
      this.sent += 1;
    }
  }

  async reached(turn: number): Promise<void> {
    while (this.turn < turn) {
      await sleep(20);
      await this.#sending;
    }
  }

  async end(): Promise<void> {
    await this.#sending;
    await this.#handle.signal(finishSignal);
  }
}

/** The size of a run's history as the server reports it, over all its segments. */
class HistoryGrowth {
  readonly #handle: WorkflowHandle;
  #last = { runId: '', bytes: 0 };

  constructor(handle: WorkflowHandle) {
    this.#handle = handle;
  }

  /** Returns the bytes since the last call. If a segment has ended meanwhile, its remaining bytes count too. */
  async since(): Promise<number> {
    const { runId, historySize: bytes = 0 } = await this.#handle.describe();
    const last = this.#last;
    this.#last = { runId, bytes };
    if (runId === last.runId) return bytes - last.bytes;
    return bytes + (last.runId === '' ? 0 : (await this.#sizeOf(last.runId)) - last.bytes);
  }

  async #sizeOf(runId: string): Promise<number> {
    const { workflowId, client } = this.#handle;
    return (await client.getHandle(workflowId, runId).describe()).historySize ?? 0;
  }
}

const FIGURES = ['msOfTurn', 'bytesOfTurn', 'residentMb'] as const;
type Figure = (typeof FIGURES)[number];
const TITLES: Record<Figure, string> = {
  msOfTurn: 'ms a turn',
  bytesOfTurn: 'bytes of history a turn',
  residentMb: "worker's resident MB",
};

/** The medians of each tenth. */
function print(windows: readonly Window[]): void {
  const size = Math.max(1, Math.floor(windows.length / 10));
  const rows = windows.flatMap((_, index) => {
    if (index % size !== 0) return [];
    const part = windows.slice(index, index + size);
    return [[`to ${part.at(-1)?.turn}`, ...FIGURES.map(figure => middle(part, figure).toFixed(0))]];
  });
  console.log(table(['turns', ...FIGURES.map(figure => TITLES[figure])], rows));
}

function middle(windows: readonly Window[], figure: Figure): number {
  return median(windows.map(window => window[figure]));
}

/** Compares the last fifth with the second, because the first fifth includes the start. */
function isFlat(windows: readonly Window[]): boolean {
  const fifth = Math.floor(windows.length / 5);
  if (fifth === 0) return true;
  return FIGURES.every(figure => {
    const share = middle(windows.slice(-fifth), figure) / middle(windows.slice(fifth, 2 * fifth), figure);
    console.log(`${TITLES[figure]}: ${share.toFixed(2)} times at the end what it was early`);
    return share < 1.5;
  });
}

/** Draws three curves, each on its own scale from zero. */
function plot(windows: readonly Window[]): string {
  const [width, height, left] = [720, 130, 60];
  const last = windows.at(-1)?.turn ?? 1;
  const curves = FIGURES.map((figure, nth) => {
    const most = Math.max(...windows.map(window => window[figure])) * 1.1;
    const top = nth * (height + 40) + 24;
    const points = windows.map(
      window =>
        `${(left + (window.turn / last) * width).toFixed(1)},${(top + height - (window[figure] / most) * height).toFixed(1)}`,
    );
    return [
      `<text x="${left}" y="${top - 8}">${TITLES[figure]}</text>`,
      `<text x="${left - 6}" y="${top + 10}" text-anchor="end">${most.toFixed(0)}</text>`,
      `<text x="${left - 6}" y="${top + height}" text-anchor="end">0</text>`,
      `<path d="M${left} ${top}v${height}h${width}" fill="none" stroke="#888"/>`,
      `<polyline points="${points.join(' ')}" fill="none" stroke="#2463c4" stroke-width="1.5"/>`,
    ].join('\n');
  });
  const whole = FIGURES.length * (height + 40) + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width + left + 20}" height="${whole}" font-family="sans-serif" font-size="12">
<title>What a turn costs, from the first to turn ${last}</title>
<rect width="100%" height="100%" fill="#fff"/>
${curves.join('\n')}
<text x="${left + width}" y="${whole - 6}" text-anchor="end">turn ${last}</text>
</svg>
`;
}

console.log(`endless: ${options.turns} turns, ${options.kills} kills, results of ${options.bytes} bytes`);
console.log(`${machine()}, server on ${options.database}\n`);
const arena = await startArena({
  database: options.database,
  shape: { mode: 'react', toolCalls: [] },
  toolBytes: options.bytes,
  waitMs: 0,
  modelScript: fileURLToPath(new URL('./support/endless-model.js', import.meta.url)),
  // If roles read the messages, that would add model calls.
  settings: 'steering: note\n',
});
try {
  const windows = await measure(arena);
  print(windows);
  if (options.plot) writeFileSync(options.plot, plot(windows));
  if (!isFlat(windows)) process.exitCode = 1;
} finally {
  await arena.close();
}
