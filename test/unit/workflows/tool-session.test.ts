import { expect, test } from 'vitest';
import type { CallToolInput, CallToolResult } from '../../../src/activities/types.js';
import type { CallFailure } from '../../../src/run/limits/failure.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import type { Batch } from '../../../src/run/position/position.js';
import type { Called, CallOptions } from '../../../src/workflows/run/ports.js';
import type { Run } from '../../../src/workflows/run/run.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { fileTool, runAtCalls } from '../../support/small-run.js';

const browser = {
  ...fileTool('look', { readOnly: true }),
  origin: { type: 'mcp' as const, server: 'browser', stateful: true as const, startTimeoutMs: 90_000 },
};
const executed: CallToolResult = { ending: 'executed', content: [], isError: false, durationMs: 1 };
const done = (more: Partial<CallToolResult> = {}): Called<CallToolResult> => ({
  ok: true,
  value: { ...executed, ...more },
});
const failed = (failure: Partial<CallFailure>): Called<CallToolResult> => ({
  ok: false,
  failure: { kind: 'lost', type: '', message: '', ...failure },
});

/** Runs a reply with one call for each answer that the tool gives. */
async function runCalls(answers: Called<CallToolResult>[]) {
  const asked: { input: CallToolInput; options: CallOptions }[] = [];
  const { run, results } = runAtCalls(
    answers.map((_, nth) => ({ name: 'look', input: { nth } })),
    {
      pinned: { tools: [browser] },
      ports: {
        callTool: async (input, options) => {
          asked.push({ input, options });
          return answers[asked.length - 1] ?? done();
        },
      },
    },
  );
  while (batchOf(run)) await runNextCalls(run, batchOf(run) as Batch);
  return { run, asked, results: results() };
}

function batchOf(run: Run): Batch | null {
  return run.state.cursor.position.turns.batch;
}

const opened = done({ session: { id: 's1', queue: 'q/1' } });
const lines = (asked: { input: CallToolInput; options: CallOptions }[]) =>
  asked.map(({ input, options }) => [input.session, options.queue, options.attempts]);

test('stateful server: the first call opens a session → the later ones, one after the other, go to its worker, once each', async () => {
  const { run, asked } = await runCalls([opened, done(), done()]);
  expect(lines(asked)).toEqual([
    [null, undefined, 3],
    ['s1', 'q/1', 1],
    ['s1', 'q/1', 1],
  ]);
  expect(run.state.tools.sessions).toEqual([{ server: 'browser', id: 's1', queue: 'q/1' }]);
});

test.each([
  ['never begun', failed({ type: FAILURE.tool.notSent }), /^Session lost: Not run: .*browser has ended/],
  ['lost while it ran', failed({}), /^Session lost: .*browser ended while look ran/],
  [
    'found without its session',
    done({ ending: 'session_lost', isError: true, note: 'gone' }),
    /^Session lost: gone/,
  ],
])(
  'stateful server: a call in its session that is %s → session_lost, told once, and the next opens another (T18)',
  async (_, answer, note) => {
    const again = done({ session: { id: 's2', queue: 'q/2' } });
    const { asked, results } = await runCalls([opened, answer, again, done()]);
    expect(results.map(({ ending }) => ending)).toEqual(['executed', 'session_lost', 'executed', 'executed']);
    expect(results[1]?.note).toMatch(note);
    expect(asked.map(({ input }) => input.session)).toEqual([null, 's1', null, 's2']);
  },
);

test('stateful server: the call that opens a session → has the server’s time to start beside its own, the later ones do not (T18)', async () => {
  const { asked } = await runCalls([opened, done()]);
  expect(asked.map(({ input }) => input.startTimeoutMs)).toEqual([90_000, undefined]);
  const [first, second] = asked.map(({ options }) => options.timeoutMs);
  expect((first ?? 0) - (second ?? 0)).toBe(90_000);
});

test('stateful server: a call that runs out of its time in its session → the session stays', async () => {
  const { asked, results } = await runCalls([opened, failed({ kind: 'timedOut' }), done()]);
  expect(results.map(({ ending }) => ending)).toEqual(['executed', 'timed_out', 'executed']);
  expect(asked.map(({ input }) => input.session)).toEqual([null, 's1', 's1']);
});
