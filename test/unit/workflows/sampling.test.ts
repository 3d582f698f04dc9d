import { expect, test } from 'vitest';
import type { CallToolInput, CallToolResult } from '../../../src/activities/types.js';
import { DEFAULT_LIMITS } from '../../../src/core/limits/limits.js';
import { NO_USAGE } from '../../../src/core/state/message.js';
import type { Called } from '../../../src/workflows/ports.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { fileTool, runAtCalls, testRole } from '../../support/small-run.js';

const USED = { ...NO_USAGE, inputTokens: 100, outputTokens: 20, costUsd: 0.5 };
const executed: CallToolResult = { ending: 'executed', content: [], isError: false, durationMs: 1 };

async function callOnce(
  given: { sampling?: true; tokens?: number; costUsd?: number },
  answer: Called<CallToolResult> = { ok: true, value: { ...executed, sampled: USED } },
) {
  const asked: CallToolInput[] = [];
  const { sampling, ...limits } = given;
  const { run } = runAtCalls([{ name: 'read', input: {} }], {
    pinned: {
      roles: { executor: testRole('executor', { models: ['p/a'] }) },
      tools: [
        {
          ...fileTool('read', { readOnly: true }),
          origin: { type: 'mcp', server: 'files', ...(sampling && { sampling }) },
        },
      ],
      limits: { ...DEFAULT_LIMITS, ...limits },
    },
    ports: {
      callTool: async input => {
        asked.push(input);
        return answer;
      },
    },
  });
  run.state.goal.usage = { ...NO_USAGE, inputTokens: 1_000, costUsd: 0.25 };
  const { batch } = run.state.cursor.position.turns;
  if (batch) await runNextCalls(run, batch);
  return { run, asked: asked[0] };
}

test('sampling: a call of a server that may → the model of its role, as much as the goal has left; what it used is the goal’s and the run’s (T21)', async () => {
  const { run, asked } = await callOnce({ sampling: true, costUsd: 1 });
  expect(asked?.sampling).toEqual({ model: 'p/a', tokens: 50_000, costUsd: 0.75 });
  expect(run.state.goal.usage).toMatchObject({ inputTokens: 1_100, outputTokens: 20, costUsd: 0.75 });
  expect(run.state.total.usage).toMatchObject({ inputTokens: 100 });
  expect(run.state.total.usageBy).toMatchObject([{ role: 'executor', model: 'p/a', calls: 1 }]);
  expect(run.state.goal.counters.turns).toBe(0);
});

test.each([
  [1_500, 500],
  [900, 0],
])('sampling: a goal whose limit of tokens is %i, of which 1,000 are used → %i', async (tokens, left) => {
  expect((await callOnce({ sampling: true, tokens })).asked?.sampling?.tokens).toBe(left);
});

test('sampling: calls beside each other → each has its part of what the goal has left, and none keeps it (T21)', async () => {
  const asked: CallToolInput[] = [];
  const calls = [1, 2].map(nth => ({ name: 'read', input: { nth } }));
  const { run } = runAtCalls(calls, {
    pinned: {
      roles: { executor: testRole('executor', { models: ['p/a'] }) },
      tools: [
        {
          ...fileTool('read', { readOnly: true, concurrent: true }),
          origin: { type: 'mcp', server: 'files', sampling: true },
        },
      ],
      limits: { ...DEFAULT_LIMITS, tokens: 41_000, costUsd: 1 },
    },
    ports: {
      callTool: async input => {
        asked.push(input);
        return { ok: true, value: executed };
      },
    },
  });
  run.state.goal.usage = { ...NO_USAGE, inputTokens: 1_000, costUsd: 0.25 };
  const { batch } = run.state.cursor.position.turns;
  if (batch) await runNextCalls(run, batch);
  const half = { model: 'p/a', tokens: 20_000, costUsd: 0.375 };
  expect(asked.map(({ sampling }) => sampling)).toEqual([half, half]);
  expect(run.memory.samplings.size).toBe(0);
});

test('sampling: the call fails → what it used counts all the same', async () => {
  const failure = { kind: 'application' as const, type: 'tool.timeout', message: '', usage: USED };
  const { run } = await callOnce({ sampling: true }, { ok: false, failure });
  expect(run.state.goal.usage.inputTokens).toBe(1_100);
});

test('sampling: a server that may not, and says that it used some → nothing counts', async () => {
  const { run, asked } = await callOnce({});
  expect(asked?.sampling).toBeUndefined();
  expect(run.state.goal.usage.inputTokens).toBe(1_000);
});

test('sampling: the call is lost and made again → with what the tries before it have left, which is all that it holds (T21)', async () => {
  const asked: CallToolInput[] = [];
  const held: unknown[] = [];
  const failure = { kind: 'lost' as const, type: '', message: '', usage: USED };
  const { run } = runAtCalls([{ name: 'read', input: {} }], {
    pinned: {
      roles: { executor: testRole('executor', { models: ['p/a'] }) },
      tools: [
        { ...fileTool('read', { readOnly: true }), origin: { type: 'mcp', server: 'files', sampling: true } },
      ],
      limits: { ...DEFAULT_LIMITS, tokens: 300, costUsd: 0.75 },
    },
    ports: {
      callTool: async input => {
        asked.push(input);
        held.push(...run.memory.samplings.values());
        return { ok: false, failure };
      },
    },
  });
  const { batch } = run.state.cursor.position.turns;
  if (batch) await runNextCalls(run, batch);
  expect(asked.map(({ sampling }) => sampling)).toEqual([
    { model: 'p/a', tokens: 300, costUsd: 0.75 },
    { model: 'p/a', tokens: 180, costUsd: 0.25 },
    { model: 'p/a', tokens: 60, costUsd: 0 },
    { model: 'p/a', tokens: 0, costUsd: 0 },
  ]);
  expect(held).toEqual(
    asked.map(({ sampling }) => ({ tokens: sampling?.tokens, costUsd: sampling?.costUsd })),
  );
});
