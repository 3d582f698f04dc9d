/** Measures what a turn adds to history: the 10th, the 50th and the 200th turn of a run with tool results of 4 KB. */
import type { WorkflowHandle } from '@temporalio/client';
import { Command } from 'commander';
import { startArena } from './support/arena.js';
import { machine, table } from './support/machine.js';
import { callsOf, type RunShape, singleCalls } from './support/run-script.js';
import { endOf, historyOf, startRun } from './support/runs.js';

/** The most bytes that a turn may add besides its new messages. */
const LIMIT_BYTES = 2_000;
/**
 * The most events that a short run may have besides those of its calls and of Temporal: six to load, six to store its
 * end, one for each phase that its search attributes show, and one for its end.
 */
const MOST_BESIDE = 16;
/** The most by which the longest run's turn may differ from the shortest's. */
const FLAT_SHARE = 0.1;

const options = new Command('history')
  .option('--turns <list>', 'lengths of runs, in tool turns', '10,50,200')
  .option('--bytes <n>', 'size of a tool result', Number, 4_000)
  .parse()
  .opts<{ turns: string; bytes: number }>();

/** A workflow without an activity has five events; an activity by itself adds six. */
const BARE_EVENTS = 5;
const EVENTS_OF_CALL = 6;

interface Turn {
  /** The bytes that the turn added, as the server counts them. */
  bytes: number;
  /** The bytes of its activities' results, which are the new messages. */
  messages: number;
  events: number;
}

console.log(`history: tool results of ${options.bytes} bytes, model and tool without delay; one call a turn`);
console.log(`${machine()}, server in memory\n`);
const turns: Turn[] = [];
const eventsBeside: number[] = [];
const rows: string[][] = [];
for (const toolTurns of options.turns.split(',').map(Number)) {
  const shape: RunShape = { toolCalls: singleCalls(toolTurns) };
  const arena = await startArena({ database: 'memory', shape, toolBytes: options.bytes, waitMs: 0 });
  try {
    await arena.startWorker('bench');
    const handle = await startRun(arena, 'bench');
    await endOf(handle, shape);
    const turn = await usualTurn(handle);
    const whole = await historyOf(arena.client, handle.workflowId);
    turns.push(turn);
    const { bytes, messages, events } = turn;
    const beside = bytes - messages;
    const { model, tool } = callsOf(shape);
    const besideCalls = whole.events - BARE_EVENTS - EVENTS_OF_CALL * (model + tool);
    eventsBeside.push(besideCalls);
    const figures = [toolTurns, bytes, messages, beside, events, whole.bytes, whole.events, besideCalls];
    rows.push(figures.map(String));
  } finally {
    await arena.close();
  }
}
console.log(
  table(
    [
      'tool turns',
      'bytes of a turn',
      'new messages',
      'beside them',
      'events',
      'bytes in all',
      'events in all',
      'beside calls',
    ],
    rows,
  ),
);
judge();

/** Returns the median of the last turns that called a tool, because some turns also store the conversation. */
async function usualTurn(handle: WorkflowHandle): Promise<Turn> {
  const events = (await handle.fetchHistory()).events ?? [];
  const starts = events.flatMap((event, index) => {
    const type = event.activityTaskScheduledEventAttributes?.activityType?.name;
    // The turn begins with its workflow task: the events scheduled, started and completed precede this one.
    return type === 'steersmanCallModel' ? [index - 2] : [];
  });
  const sizeAt = (index: number) =>
    Number(events[index]?.workflowTaskStartedEventAttributes?.historySizeBytes ?? Number.NaN);
  // The first call is the planner's, and the last two are the report and the verdict. A turn ends where the next one
  // begins.
  const turns = starts.slice(1, -2).flatMap((from, nth, all) => {
    const to = all[nth + 1];
    if (to === undefined) return [];
    const results = events
      .slice(from, to)
      .flatMap(event => event.activityTaskCompletedEventAttributes?.result?.payloads ?? []);
    const messages = results.reduce((sum, payload) => sum + (payload.data?.length ?? 0), 0);
    return [{ bytes: sizeAt(to) - sizeAt(from), messages, events: to - from }];
  });
  const last = turns.slice(-15).sort((a, b) => a.bytes - b.bytes);
  const [middle] = last.slice(last.length / 2);
  if (!middle) throw new Error('no turn called a tool');
  return middle;
}

function judge(): void {
  const sizes = turns.map(turn => turn.bytes);
  const spread = Math.max(...sizes) / Math.min(...sizes) - 1;
  const beside = Math.max(...turns.map(turn => turn.bytes - turn.messages));
  console.log(
    `\nA turn differs by ${(spread * 100).toFixed(1)} % between the lengths (at most ${FLAT_SHARE * 100} %),`,
  );
  console.log(`and adds at most ${beside} bytes beside its messages (at most ${LIMIT_BYTES}).`);
  // A longer run also stores its conversation while it works, so the shortest is judged.
  const least = Math.min(...eventsBeside);
  console.log(`The shortest run has ${least} events beside its calls (at most ${MOST_BESIDE}).`);
  if (!(spread <= FLAT_SHARE) || !(beside <= LIMIT_BYTES) || !(least <= MOST_BESIDE)) process.exitCode = 1;
}
