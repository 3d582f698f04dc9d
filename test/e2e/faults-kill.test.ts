import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScriptedToolCall } from '../../src/testing/scripted-model.js';
import type { FaultStage, Part, StagedRun } from '../support/fault-stage.js';
import { startFaultStage } from '../support/fault-stage.js';
import { isRunning, processesNaming } from '../support/processes.js';
import { startTemporal } from '../support/rig.js';
import { until } from '../support/wait.js';

/** From the death of a worker until the model hears of it. */
const NOTICE_MS = 15_000;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  env = await startTemporal();
});
afterAll(async () => {
  await env?.teardown();
});

function startStage(options: { failpoints?: string; workspace?: Record<string, string> } = {}) {
  return startFaultStage({ client: env.client, address: env.address, ...options });
}

const call = (name: string, args: Record<string, unknown>): ScriptedToolCall => ({ name, arguments: args });

/** Resolves when the tool runs: after its effect, where it has one. */
function toolRuns(stage: FaultStage, gate: string, count = 1): Promise<number> {
  return until(`${gate} is waited for`, () => {
    const calls = stage.fake.events().filter(({ event, args }) => event === 'call' && args?.gate === gate);
    return calls.length >= count && calls.at(-1)?.pid;
  });
}

const repeated = (run: StagedRun) => run.requests().filter(({ nth }) => nth > 1).length;

/** A model call whose reply is held until its client is gone; the next call of the same gets it whole. */
const heldOnce: Part['change'] = (reply, { role, nth }) =>
  role === 'Executor' && nth === 1
    ? { ...reply, chunkChars: 4, hold: { until: new Promise(() => {}), atChunk: 2 } }
    : reply;

describe('kill -9 of the only worker', () => {
  test.concurrent('in a model call, a read-only call, edit_file and another effect → all runs complete, nothing finished runs again, what is unknown is told within 15 s (E1)', async () => {
    const stage = await startStage({
      failpoints: 'tool.after-effect=kill@5',
      workspace: { 'count.txt': 'count: 1\n' },
    });
    const lines = join(stage.project.dir, 'lines.txt');
    const first = (goal: string) => call('append_line', { file: lines, line: goal });
    const inFlight = {
      model: { calls: [first('model')], change: heldOnce },
      reading: { calls: [first('reading'), call('slow', { gate: 'reading' })] },
      appending: {
        calls: [first('appending'), call('append_slow', { file: lines, line: 'slow', gate: 'appending' })],
      },
    };
    const doomed = await stage.worker();
    // The model's first turn is held, so its append comes only after the crash.
    const model = await stage.start('model', {
      ...inFlight.model,
      change: (reply, given) => (given.at === 1 ? (heldOnce?.(reply, given) ?? reply) : reply),
    });
    const reading = await stage.start('reading', inFlight.reading);
    const appending = await stage.start('appending', inFlight.appending);
    await toolRuns(stage, 'reading');
    await toolRuns(stage, 'appending');
    await until('the held call is there', () => model.requests().length === 3);
    // The fifth answer of a tool, after four appended lines, is that of the edit.
    const edits = [{ oldText: 'count: 1', newText: 'count: 11' }];
    const path = join(stage.project.workspace, 'count.txt');
    const editing = await stage.start('editing', {
      calls: [first('editing'), call('edit_file', { path, edits })],
    });
    expect(await doomed.exited).toBe('SIGKILL');
    const diedAt = Date.now();
    expect(stage.fired('tool.after-effect')).toEqual([5]);
    expect(readFileSync(path, 'utf8')).toBe('count: 11\n');

    await stage.worker();
    stage.fake.openGate('reading');
    stage.fake.openGate('appending');
    const runs = [model, reading, appending, editing];
    for (const run of runs) expect(await run.result()).toMatchObject({ outcome: 'completed' });

    for (const run of [editing, appending]) {
      expect(run.seen()).toEqual(['appended', expect.stringMatching(/not known whether .* took effect/)]);
      const told = run
        .requests()
        .find(({ body }) => body.messages.filter(({ role }) => role === 'tool').length === 2);
      expect((told?.at ?? Infinity) - diedAt).toBeLessThan(NOTICE_MS);
    }
    expect(reading.seen()).toEqual(['appended', 'done']);
    expect(runs.map(repeated)).toEqual([1, 0, 0, 0]);
    expect(readFileSync(path, 'utf8')).toBe('count: 11\n');
    expect(stage.fake.effects('append_slow')).toHaveLength(1);
    expect(
      stage.fake
        .effects('append_line')
        .map(({ args }) => args?.line)
        .sort(),
    ).toEqual(['appending', 'editing', 'model', 'reading']);
    await stage.close();
  });
});

describe('graceful shutdown', () => {
  test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
    '%s to the process group in a model call and a tool call → the model call is taken over at once, the tool finishes, no tool server is left',
    async signal => {
      const stage = await startStage();
      const file = join(stage.project.dir, 'lines.txt');
      const leaving = await stage.worker();
      const model = await stage.start('model', { calls: [], change: heldOnce });
      const tool = await stage.start('tool', {
        calls: [call('append_slow', { file, line: 'slow', gate: 'tool' })],
      });
      const server = await toolRuns(stage, 'tool');
      await until('the model call runs', () => model.requests().length === 2);
      leaving.signalGroup(signal);
      await stage.worker();
      expect(await model.result()).toMatchObject({ outcome: 'completed' });
      expect(repeated(model)).toBe(1);
      // All that while the tool was waited for, and its server lived.
      expect([isRunning(leaving.pid), isRunning(server)]).toEqual([true, true]);
      stage.fake.openGate('tool');
      expect(await leaving.exited).toBe(0);
      expect(isRunning(server)).toBe(false);
      expect(await tool.result()).toMatchObject({ outcome: 'completed' });
      expect(tool.seen()).toEqual(['appended']);
      expect(stage.fake.effects('append_slow')).toHaveLength(1);
      const { workspace } = stage.project;
      await stage.close();
      expect(processesNaming(workspace)).toEqual([]);
      expect(stage.fake.dir).not.toBe('');
    },
  );
});

describe('kill -9 of a tool server', () => {
  test.concurrent('during and between calls → the effect is unknown, the read is made again, the next call reconnects (E1)', async () => {
    const stage = await startStage();
    const file = join(stage.project.dir, 'lines.txt');
    await stage.worker();
    let between = () => {};
    const killed = new Promise<void>(resolve => {
      between = resolve;
    });
    const run = await stage.start('servers', {
      calls: [
        call('append_slow', { file, line: 'a', gate: 'effect' }),
        call('slow', { gate: 'read' }),
        call('append_line', { file, line: 'b' }),
      ],
      change: (reply, { at }) => (at === 2 ? { ...reply, hold: { until: killed } } : reply),
    });
    const first = await toolRuns(stage, 'effect');
    process.kill(first, 'SIGKILL');
    const second = await toolRuns(stage, 'read');
    process.kill(second, 'SIGKILL');
    const third = await toolRuns(stage, 'read', 2);
    stage.fake.openGate('read');
    await until('the model is asked for the last call', () => run.requests().length === 4);
    process.kill(third, 'SIGKILL');
    await until('the server is gone', () => !isRunning(third));
    between();
    expect(await run.result()).toMatchObject({ outcome: 'completed' });
    expect(run.seen()).toEqual([
      expect.stringMatching(/connection .* was lost .*not known/s),
      'done',
      'appended',
    ]);
    expect(stage.fake.effects().map(({ tool }) => tool)).toEqual(['append_slow', 'append_line']);
    expect(
      new Set(
        stage.fake
          .events()
          .filter(({ event }) => event === 'start')
          .map(({ pid }) => pid),
      ).size,
    ).toBe(4);
    expect(repeated(run)).toBe(0);
    await stage.close();
  });
});
