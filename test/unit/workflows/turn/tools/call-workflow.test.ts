import { describe, expect, test } from 'vitest';
import type { CallFailure } from '../../../../../src/run/limits/failure.js';
import type { ToolDefinition, ToolPolicy } from '../../../../../src/run/tools/tool.js';
import type { Ports, WorkflowCall, WorkflowEnd } from '../../../../../src/workflows/run/ports.js';
import { runNextCalls } from '../../../../../src/workflows/turn/tools/run-tools.js';
import { answer, fileTool, runAtCalls } from '../../../../support/small-run.js';

const settle = (policy: Partial<ToolPolicy> = {}): ToolDefinition => ({
  ...fileTool('settle_order', policy),
  origin: { type: 'child_workflow', workflow: 'settleOrder', taskQueue: 'shop' },
});

function at(tool: ToolDefinition, callWorkflow: Ports['callWorkflow'], attended = true) {
  return runAtCalls([{ name: 'settle_order', input: { id: 'A-7' } }], {
    pinned: { tools: [tool] },
    settings: { attended },
    ports: { callWorkflow },
  });
}

async function resultOf(tool: ToolDefinition, end: WorkflowEnd | CallFailure) {
  const ended = 'type' in end ? { ok: false as const, failure: end } : { ok: true as const, value: end };
  const { run, results } = at(tool, async () => ended);
  await runNextCalls(run, run.state.cursor.position.turns.batch as never);
  return results()[0];
}

const readOnly = settle({ readOnly: true, idempotent: true });
const failure = (kind: CallFailure['kind']): CallFailure => ({ kind, type: '', message: 'why' });

describe('a workflow as a tool', () => {
  test('called → gets the arguments, on its own queue, and its result is the tool’s', async () => {
    const called: WorkflowCall[] = [];
    const { run, results } = at(readOnly, async call => {
      called.push(call);
      return { ok: true, value: { kind: 'returned', value: { receipt: 'R-1' } } };
    });
    await runNextCalls(run, run.state.cursor.position.turns.batch as never);
    expect(called).toMatchObject([
      {
        workflow: 'settleOrder',
        taskQueue: 'shop',
        check: { tool: 'settle_order', arguments: { id: 'A-7' } },
      },
    ]);
    expect(results()).toMatchObject([
      { ending: 'executed', isError: false, content: [{ type: 'text', text: '{"receipt":"R-1"}' }] },
    ]);
  });

  test('that is not read-only → a person is asked first; denied, it is not started', async () => {
    const called: WorkflowCall[] = [];
    const { run, results } = at(settle(), async call => {
      called.push(call);
      return { ok: true, value: { kind: 'returned', value: 'done' } };
    });
    const calls = runNextCalls(run, run.state.cursor.position.turns.batch as never);
    await Promise.resolve();
    answer(run, { gateId: run.state.people.gates[0]?.gate.id, decision: 'deny', reason: 'Not today.' });
    await calls;
    expect(called).toEqual([]);
    expect(results()).toMatchObject([{ ending: 'denied' }]);
  });

  test.each<[string, WorkflowEnd, object]>([
    ['returns nothing', { kind: 'returned', value: undefined }, { content: [], isError: false }],
    ['returns a text', { kind: 'returned', value: 'Paid.' }, { content: [{ text: 'Paid.' }] }],
    [
      'throws',
      { kind: 'threw', why: 'no such order' },
      { ending: 'executed', isError: true, content: [{ text: 'no such order' }] },
    ],
    [
      'is denied by the worker',
      { kind: 'refused', ending: 'denied', note: 'Denied: by the configuration.' },
      { ending: 'denied', isError: true, note: expect.stringContaining('configuration') },
    ],
    [
      'gets arguments that do not fit',
      { kind: 'refused', ending: 'invalid', note: 'id: too short' },
      { ending: 'invalid', isError: true },
    ],
  ])('that %s → a result that says so', async (_what, end, result) => {
    expect(await resultOf(readOnly, end)).toMatchObject(result);
  });

  test.each<[string, ToolDefinition, CallFailure['kind'], string]>([
    ['runs out of time', settle({ idempotent: true, readOnly: true }), 'timedOut', 'timed_out'],
    ['is cancelled', readOnly, 'cancelled', 'cancelled'],
    ['is terminated', readOnly, 'lost', 'unavailable'],
  ])('that %s → %s', async (_what, tool, kind, ending) => {
    expect(await resultOf(tool, failure(kind))).toMatchObject({ ending, isError: true });
  });

  test('that may have had effects and runs out of time → its outcome is unknown, and it is not run again', async () => {
    let times = 0;
    const { run, results } = at(settle(), async () => {
      times += 1;
      return { ok: false, failure: failure('timedOut') };
    });
    run.state.settings.autoApprove = true;
    await runNextCalls(run, run.state.cursor.position.turns.batch as never);
    expect(results()).toMatchObject([{ ending: 'outcome_unknown' }]);
    expect(times).toBe(1);
  });

  test('with a result nested deeper than can be walked → not read, and the call says so', async () => {
    const value: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
    const result = await resultOf(settle({ readOnly: true, idempotent: true }), { kind: 'returned', value });
    expect(result).toMatchObject({ ending: 'unavailable', isError: true });
    expect(JSON.stringify(result?.content)).toContain('nested deeper');
  });

  test('with a long result → its head and tail, the whole by reference', async () => {
    const result = await resultOf(readOnly, { kind: 'returned', value: 'x'.repeat(50_000) });
    expect(JSON.stringify(result?.content)).toMatch(/by ref ref/);
    expect(JSON.stringify(result?.content).length).toBeLessThan(10_000);
  });

  test('under way → a stop may cancel it, whatever its policy', async () => {
    let interruptible: boolean | undefined;
    const { run } = at(settle(), async () => {
      interruptible = run.inFlight?.interruptible;
      return { ok: true, value: { kind: 'returned', value: 'done' } };
    });
    run.state.settings.autoApprove = true;
    await runNextCalls(run, run.state.cursor.position.turns.batch as never);
    expect(interruptible).toBe(true);
  });
});
