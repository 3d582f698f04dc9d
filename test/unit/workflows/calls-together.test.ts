import { describe, expect, test } from 'vitest';
import type { CallToolInput, CallToolResult } from '../../../src/activities/types.js';
import type { PinnedRun, RunSettings } from '../../../src/run/agents/run-config.js';
import type { CallFailure } from '../../../src/run/limits/failure.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { stepsOf } from '../../../src/run/state/trace.js';
import { requestStop } from '../../../src/workflows/inbox/inbox-handlers.js';
import type { Called } from '../../../src/workflows/run/ports.js';
import { toolArguments } from '../../../src/workflows/run/requests.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { fileTool, runAtCalls } from '../../support/small-run.js';

const read = (path: string) => ({ name: 'read', input: { path } });
const put = (path: string) => ({ name: 'put', input: { path } });
const READS = { readOnly: true, idempotent: true, destructive: false, concurrent: true };

/** A run at these calls, whose tools end when the test says so. */
function heldAt(
  calls: readonly { name: string; input: Record<string, unknown> }[],
  given: { pinned?: Partial<PinnedRun>; settings?: Partial<RunSettings> } = {},
) {
  const flying = new Map<string, { input: CallToolInput; end: (called: Called<CallToolResult>) => void }>();
  const begun: string[][] = [];
  let interrupted = 0;
  const small = runAtCalls(calls, {
    settings: { autoApprove: true },
    ...given,
    pinned: { tools: [fileTool('put'), fileTool('read', READS)], ...given.pinned },
    ports: {
      callTool: input => new Promise(end => void flying.set(input.toolUseId, { input, end })),
      cancelCalls: () => {
        interrupted += 1;
      },
    },
  });
  const { run } = small;
  const { turns } = run.state.cursor.position;
  const open = () => [...flying.keys()];
  /** Begins what comes next; `ended` is over when all of it has its result. */
  async function next(): Promise<{ ended: Promise<void> }> {
    if (!turns.batch) throw new Error('the batch is closed');
    const ended = runNextCalls(run, turns.batch);
    await new Promise(setImmediate);
    begun.push(open());
    return { ended };
  }
  function end(id: string, failure?: CallFailure): void {
    const call = flying.get(id);
    flying.delete(id);
    const content = [{ type: 'text' as const, text: `of ${id}` }];
    const value = { ending: 'executed' as const, content, isError: false, durationMs: 1 };
    call?.end(failure ? { ok: false, failure } : { ok: true, value });
  }
  async function workOff(): Promise<string[][]> {
    while (turns.batch) {
      const { ended } = await next();
      for (const id of open().reverse()) end(id);
      await ended;
    }
    return begun;
  }
  return { ...small, next, end, open, workOff, interrupted: () => interrupted };
}

const limits = (parallelTools: number) => ({ limits: { ...DEFAULT_LIMITS, parallelTools } });

describe('calls that run together', () => {
  test('reads: they end in any order → results, trace and journal are in the order of the calls (C21, T12)', async () => {
    const held = heldAt([read('a'), read('b'), read('c')]);
    expect(await held.workOff()).toEqual([['t1', 't2', 't3']]);
    expect(held.results().map(({ toolUseId }) => toolUseId)).toEqual(['t1', 't2', 't3']);
    const { journal } = held.run.state.log;
    expect(stepsOf(journal.events).map(step => step.observation)).toEqual(['of t1', 'of t2', 'of t3']);
    expect(journal.events.map(event => event.type)).toEqual([
      ...Array(3).fill('tool_call_started'),
      ...Array(3).fill('tool_call_ended'),
    ]);
  });

  test.each([
    ['a write among reads', [read('a'), read('b'), put('c'), read('d')], [['t1', 't2'], ['t3'], ['t4']]],
    ['the same call again', [read('a'), read('a'), read('b')], [['t1'], ['t3']]],
    ['writes', [put('a'), put('b')], [['t1'], ['t2']]],
    ['an unknown tool', [read('a'), { name: 'fly', input: {} }, read('b')], [['t1'], ['t3']]],
  ])('%s → what may run together does, in the order of the calls (C21)', async (_name, calls, begun) => {
    const held = heldAt(calls);
    expect((await held.workOff()).filter(ids => ids.length > 0)).toEqual(begun);
    expect(held.results()).toHaveLength(calls.length);
  });

  test('more than parallelTools → so many at a time; 1 → one after the other (C21)', async () => {
    const calls = [read('a'), read('b'), read('c')];
    expect(await heldAt(calls, { pinned: limits(2) }).workOff()).toEqual([['t1', 't2'], ['t3']]);
    expect(await heldAt(calls, { pinned: limits(1) }).workOff()).toEqual([['t1'], ['t2'], ['t3']]);
  });

  test('the same call twice → the second gets the result of the first (C21, D1)', async () => {
    const held = heldAt([read('a'), read('a')]);
    await held.workOff();
    expect(held.results().map(({ ending }) => ending)).toEqual(['executed', 'reused']);
  });

  test('writes that may run together → they do, and a read beside them waits (C21, D3)', async () => {
    const tools = [fileTool('put', { concurrent: true }), fileTool('read', READS)];
    const held = heldAt([put('a'), put('b'), read('a')], { pinned: { tools } });
    expect(await held.workOff()).toEqual([['t1', 't2'], ['t3']]);
  });

  test('one fails, one is lost and made again → each has its own one result (C21, TR2)', async () => {
    const held = heldAt([read('a'), read('b'), read('c')]);
    const { ended } = await held.next();
    held.end('t1', { kind: 'application', type: '', message: 'no' });
    held.end('t2', { kind: 'lost', type: '', message: '' });
    held.end('t3');
    await new Promise(setImmediate);
    expect(held.open()).toEqual(['t2']);
    held.end('t2');
    await ended;
    expect(held.results().map(({ ending }) => ending)).toEqual(['unavailable', 'executed', 'executed']);
  });

  test('stop → one interrupt for all, each call has its result, and nothing more begins (C21, L10)', async () => {
    const held = heldAt([read('a'), read('b'), put('c')]);
    const { ended } = await held.next();
    expect(held.run.inFlight).toEqual({ kind: 'tool', role: 'executor', interruptible: true });
    requestStop(held.run, null);
    expect(held.interrupted()).toBe(1);
    for (const id of held.open()) held.end(id, { kind: 'cancelled', type: '', message: '' });
    await ended;
    expect(held.run.inFlight).toBeNull();
    await held.workOff();
    expect(held.results().map(({ ending }) => ending)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  test('a worker asks for arguments → those of its own call (C21)', async () => {
    const held = heldAt([put('x'), read('a'), read('b')]);
    const first = await held.next();
    held.end('t1');
    await first.ended;
    const { ended } = await held.next();
    const { state } = held.run;
    const asked = state.tools.inFlight.map(({ callId }) => toolArguments(state, callId));
    expect(asked).toEqual([{ path: 'a' }, { path: 'b' }]);
    held.end('t2');
    held.end('t3');
    await ended;
    expect(state.tools.inFlight).toEqual([]);
  });
});
