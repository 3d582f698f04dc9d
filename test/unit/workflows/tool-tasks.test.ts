/** A call that its server carries on as a task: what the run does when the worker that made it is gone. */
import { expect, test } from 'vitest';
import type { CallToolInput, CallToolResult } from '../../../src/activities/types.js';
import { type CallFailure, FAILURE } from '../../../src/core/limits/failure.js';
import type { ToolDefinition } from '../../../src/core/tools/tool.js';
import type { Called } from '../../../src/workflows/ports.js';
import type { Run } from '../../../src/workflows/run.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { fileTool, runAtCalls } from '../../support/small-run.js';

const task = { id: 't1', session: 's1' };
const done: Called<CallToolResult> = {
  ok: true,
  value: { ending: 'executed', content: [], isError: false, durationMs: 1 },
};
const failed = (failure: Partial<CallFailure>): Called<CallToolResult> => ({
  ok: false,
  failure: { kind: 'lost', type: '', message: '', ...failure },
});

/** One call of a tool that may have effects, which the worker answers so, one after the other. */
async function callOnce(
  answers: Called<CallToolResult>[],
  origin: ToolDefinition['origin'] = { type: 'mcp', server: 'files' },
  onCall: (run: Run) => void = () => {},
) {
  const asked: CallToolInput[] = [];
  const { run, results } = runAtCalls([{ name: 'write', input: {} }], {
    settings: { autoApprove: true },
    pinned: { tools: [{ ...fileTool('write'), origin }] },
    ports: {
      callTool: async input => {
        asked.push(input);
        onCall(run);
        return answers[asked.length - 1] ?? failed({});
      },
    },
  });
  const { batch } = run.state.cursor.position.turns;
  if (batch) await runNextCalls(run, batch);
  return { ending: results()[0]?.ending, tasks: asked.map(input => input.task) };
}

test.each([
  ['its worker is not heard of any more', { task }],
  ['its worker ends in order', { type: FAILURE.workerShutdown, task }],
  [
    'its server can’t be reached for now',
    { kind: 'application' as const, type: FAILURE.tool.connectionLost, task },
  ],
])('task: %s → another try asks for the result, and calls nothing (T22)', async (_, failure) => {
  const { ending, tasks } = await callOnce([failed(failure), done]);
  expect({ ending, tasks }).toEqual({ ending: 'executed', tasks: [undefined, task] });
});

test('task: the try that asks for it is lost before it said so → asked for again', async () => {
  const { tasks } = await callOnce([failed({ task }), failed({}), done]);
  expect(tasks).toEqual([undefined, task, task]);
});

test('task: lost again and again → after three tries more its outcome is unknown', async () => {
  const lost = failed({ task });
  const { ending, tasks } = await callOnce([lost, lost, lost, lost, done]);
  expect({ ending, tries: tasks.length }).toEqual({ ending: 'outcome_unknown', tries: 4 });
});

test.each([
  ['it ran out of its time', failed({ kind: 'timedOut', task }), 'outcome_unknown'],
  ['it was cancelled', failed({ kind: 'cancelled', task }), 'outcome_unknown'],
] as const)('task: %s → not asked for', async (_, answer, ending) => {
  expect(await callOnce([answer, done])).toEqual({ ending, tasks: [undefined] });
});

test('task: the run was stopped meanwhile → not asked for, and its outcome is unknown', async () => {
  const stop = (run: Run) => {
    run.state.people.stop = { at: 0, reason: '' } as unknown as Run['state']['people']['stop'];
  };
  const { ending, tasks } = await callOnce([failed({ task }), done], undefined, stop);
  expect({ ending, tasks }).toEqual({ ending: 'outcome_unknown', tasks: [undefined] });
});

test('task: an activity of the application names one → it is not run again', async () => {
  const { ending, tasks } = await callOnce([failed({ task }), done], { type: 'activity', activity: 'mine' });
  expect({ ending, tries: tasks.length }).toEqual({ ending: 'outcome_unknown', tries: 1 });
});
