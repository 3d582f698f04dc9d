/** What a turn costs a replay, counted in memory: nothing here is about time. */
import { describe, expect, test } from 'vitest';
import { FEATURES } from '../../../src/compose.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import { executionAt } from '../../../src/run/position/position.js';
import { newRunState } from '../../../src/run/state/run-state.js';
import { Run } from '../../../src/workflows/run/run.js';
import { runTurns } from '../../../src/workflows/turn/turn-loop.js';
import { modelFacts, pinnedRun } from '../../support/core-values.js';
import { fileTool, quietPorts, testRole } from '../../support/small-run.js';

const CONTEXT_TOKENS = 64_000;

/** Turns of an executor that calls a tool in each; `looks` is read whenever a turn begins. Returns it of each turn. */
async function workOfTurns(turns: number, resultChars: number, looks: () => number): Promise<number[]> {
  const state = newRunState('Do it.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  state.pinned = pinnedRun({
    roles: { executor: testRole('executor', { output: 'text' }) },
    tools: [fileTool('read', { readOnly: true })],
    models: ['p/a'],
    modelInfo: { 'p/a': modelFacts(CONTEXT_TOKENS, true) },
    limits: { ...DEFAULT_LIMITS, turns: turns + 1, totalTurns: turns + 1 },
    modelTimeoutMs: 60_000,
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  const seen: number[] = [];
  const run = new Run(
    state,
    {
      ...quietPorts([]),
      callModel: async () => {
        seen.push(looks());
        const call = { type: 'tool_use' as const, id: 't', name: 'read', input: { number: seen.length } };
        const isLast = seen.length > turns;
        const content = isLast ? [{ type: 'text' as const, text: 'Done.' }] : [call];
        const stopReason = isLast ? 'end_turn' : 'tool_use';
        return { ok: true, value: { content, stopReason, usage: NO_USAGE, model: 'p/a', durationMs: 1 } };
      },
      callTool: async () => {
        const text = `${seen.length} `.repeat(resultChars).slice(0, resultChars);
        return {
          ok: true,
          value: { ending: 'executed', content: [{ type: 'text', text }], isError: false, durationMs: 1 },
        };
      },
    },
    FEATURES,
  );
  const spec = {
    role: 'executor',
    output: 'text',
    maxRounds: turns + 1,
    tools: true,
    instruction: () => 'Go.',
  } as const;
  expect(await runTurns(run, spec)).toMatchObject({ kind: 'reply' });
  return seen.slice(1).map((count, turn) => count - (seen[turn] ?? 0));
}

/** Counts the characters that are looked at one by one, or written as JSON, while `act` runs. */
async function charactersRead<T>(act: (count: () => number) => Promise<T>): Promise<T> {
  const { charCodeAt, codePointAt } = String.prototype;
  const { stringify } = JSON;
  let count = 0;
  String.prototype.charCodeAt = function (at) {
    count += 1;
    return charCodeAt.call(this, at);
  };
  String.prototype.codePointAt = function (at) {
    count += 1;
    return codePointAt.call(this, at);
  };
  JSON.stringify = new Proxy(stringify, {
    apply: (write, self, given) => {
      const text: string | undefined = Reflect.apply(write, self, given);
      count += text?.length ?? 0;
      return text;
    },
  });
  try {
    return await act(() => count);
  } finally {
    Object.assign(String.prototype, { charCodeAt, codePointAt });
    JSON.stringify = stringify;
  }
}

/** Counts the uses of globals while `act` runs: each goes through an interceptor in the sandbox of workflows. */
async function globalsUsed<T>(act: (count: () => number) => Promise<T>): Promise<T> {
  const names = ['Array', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Set', 'String'];
  const before = names.map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  const { defineProperty } = Object;
  let count = 0;
  for (const [name, descriptor] of before) {
    const get = () => {
      count += 1;
      return descriptor?.value;
    };
    defineProperty(globalThis, name, { configurable: true, get });
  }
  try {
    return await act(() => count);
  } finally {
    for (const [name, descriptor] of before) defineProperty(globalThis, name, descriptor ?? {});
  }
}

function mean(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}

describe('the work of a turn', () => {
  test('long run: the context is full many times over → a turn reads what is new a few times, and never the window (ST2)', async () => {
    const resultChars = 6_000;
    const work = await charactersRead(count => workOfTurns(400, resultChars, count));
    const [early, late] = [mean(work.slice(100, 200)), mean(work.slice(300, 400))];
    expect(late).toBeLessThan(early * 1.2);
    expect(late).toBeLessThan(resultChars * 12);
  });

  test('results: 20 times as long → a turn uses hardly more globals, which are slow in the sandbox (ST2)', async () => {
    const short = await globalsUsed(count => workOfTurns(60, 700, count));
    const long = await globalsUsed(count => workOfTurns(60, 14_000, count));
    expect(mean(long)).toBeLessThan(mean(short) * 1.5);
  });
});
