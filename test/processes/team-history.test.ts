import { expect, test } from 'vitest';
import { roleOf } from '../../packages/test-kit/by-role.js';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import type { Rig } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { toolTexts, transcriptOf } from '../support/run-views.js';

const TURNS = 30;
const RESULT_BYTES = 4_096;
/** What a turn may cost in history besides its messages. */
const MARGIN_BYTES = 2_048;
/** And one turn in some ten, for keeping the conversation: one activity, without a text. */
const KEEP_BYTES = 1_024;

const files = Array.from({ length: TURNS }, (_, turn) => [
  `f${turn}.txt`,
  `${turn} `.padEnd(RESULT_BYTES, 'x'),
]);
const rig = rigOfFile({ workspace: Object.fromEntries(files) });

test('history of a turn: 30 turns with results of 4 KB → the new messages and less than 2 KB, early and late alike (L20)', async () => {
  /** Bytes of history when the model call of each turn was under way. */
  const sizes: number[] = [];
  let handle: Awaited<ReturnType<Rig['start']>> | undefined;
  rig.play(async request => {
    const turn = toolTexts(request).length;
    if (roleOf(request) === 'planner') return { text: plan({ todos: ['Read all'] }) };
    if (roleOf(request) === 'verifier') return { text: verdict({ summary: 'All files hold x.' }) };
    sizes.push((await handle?.describe())?.historySize ?? 0);
    if (turn === TURNS) return { text: execution({ summary: 'All hold x.', taskCompleted: true }) };
    return { toolCalls: [{ name: 'read_text_file', arguments: { path: `f${turn}.txt` } }] };
  });
  handle = await rig.start('Read all files', { limits: { execution: TURNS + 1 } });
  await handle.result();
  expect(sizes).toHaveLength(TURNS + 1);

  const messages = (await transcriptOf(handle)).map(message => JSON.stringify(message).length);
  // Goal, the planner's instruction and plan, and the executor's instruction come before the first turn.
  const turnMessages = (turn: number) => (messages[4 + 2 * turn] ?? 0) + (messages[5 + 2 * turn] ?? 0);
  const extra = sizes.slice(1).map((size, turn) => size - (sizes[turn] ?? 0) - turnMessages(turn));
  const mean = (from: number, to: number) =>
    extra.slice(from, to).reduce((sum, bytes) => sum + bytes, 0) / (to - from);
  console.log(
    `history: ${sizes.at(-1)} bytes at ${TURNS} turns; a turn adds its messages and ${Math.round(mean(5, 10))} (turns 6–10), ${Math.round(mean(25, 30))} (turns 26–30) bytes`,
  );
  expect(extra.slice(20).filter(bytes => bytes >= MARGIN_BYTES).length).toBeLessThanOrEqual(2);
  expect(Math.max(...extra.slice(24))).toBeLessThan(MARGIN_BYTES + KEEP_BYTES);
  expect(mean(25, 30)).toBeLessThan(mean(5, 10) * 1.1);
});

test('a judged run whose tools may change files → loading is the one activity before its first model call, and the start of its work is listed', async () => {
  rig.play(request => {
    if (roleOf(request) === 'planner') return { text: plan({ todos: ['Look.'] }) };
    if (roleOf(request) === 'verifier') return { text: verdict({ summary: 'It was looked at.' }) };
    return { text: execution({ summary: 'All hold x.', taskCompleted: true }) };
  });
  const { handle } = await rig.run('Look at the files');
  const { events } = await handle.fetchHistory();
  const made = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled ? [scheduled.activityType?.name ?? ''] : [],
  );
  expect(made.slice(0, 2)).toEqual(['steersmanLoadRun', 'steersmanCallModel']);
  expect(JSON.stringify(await transcriptOf(handle))).not.toContain('could not be listed');
});
