import { expect, test } from 'vitest';
import { NO_USAGE, type Usage } from '../../../../src/run/messages/message.js';
import { executionAt } from '../../../../src/run/position/position.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { Run } from '../../../../src/workflows/run/run.js';
import { callModel } from '../../../../src/workflows/turn/call-model.js';
import { contextBudget, requestTokens } from '../../../../src/workflows/turn/fit-thread.js';
import { modelFacts, pinnedRun } from '../../../support/core-values.js';
import { quietPorts, testRole } from '../../../support/small-run.js';

/** What the executor's messages may take, before and after a call of which the endpoint says `used`. */
async function budgets(used: (estimated: number) => Partial<Usage>) {
  const role = testRole('executor', { tools: [] });
  const state = newRunState('Do it.', { mode: 'team', workspace: '/w', autoApprove: false }, 0);
  state.pinned = pinnedRun({
    roles: { executor: role },
    models: ['p/a'],
    modelInfo: { 'p/a': modelFacts(100_000, true) },
  });
  state.cursor.position = executionAt(1, { kind: 'work', taskId: 'task-1' });
  const run: Run = new Run(state, {
    ...quietPorts([]),
    callModel: async () => {
      const usage = { ...NO_USAGE, ...used(requestTokens(run, role)) };
      return {
        ok: true,
        value: { content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn', usage, durationMs: 1 },
      };
    },
  });
  const instruction = { id: 'm1', at: 0, kind: 'user', purpose: 'instruction' } as const;
  run.append(run.mainThread(), { ...instruction, content: [{ type: 'text', text: 'word '.repeat(4_000) }] });
  const before = contextBudget(run, role, 'p/a');
  await callModel(run, role, false);
  return { before, after: contextBudget(run, role, 'p/a'), prefix: 80_000 - before };
}

test('X4 contextBudget: an endpoint counted half as much again → messages may take two thirds, its prefix taken off', async () => {
  const { after, prefix } = await budgets(estimated => ({ inputTokens: estimated * 1.5 }));
  expect(after).toBe(Math.floor(80_000 / 1.5) - prefix);
});

test('X4 contextBudget: an endpoint that counts nothing → as before', async () => {
  const { before, after } = await budgets(estimated => ({ inputTokens: estimated * 2, estimated: true }));
  expect(after).toBe(before);
});
