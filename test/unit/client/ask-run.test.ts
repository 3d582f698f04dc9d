import { QueryNotRegisteredError } from '@temporalio/client';
import { defineQuery } from '@temporalio/workflow';
import { expect, test } from 'vitest';
import { askRun } from '../../../src/client/ask-run.js';
import type { Temporal } from '../../../src/client/connect.js';
import { REFUSAL } from '../../../src/core/limits/failure.js';

const query = defineQuery<string>('state');

/** A run whose task is pending at the first looks, and whose queries fail at first. */
function run({ pendingLooks = 0, errors = [] }: { pendingLooks?: number; errors?: Error[] }) {
  const calls: string[] = [];
  const handle = {
    describe: async () => {
      calls.push('look');
      return { raw: { pendingWorkflowTask: pendingLooks-- > 0 ? { attempt: 1 } : null } };
    },
    query: async () => {
      calls.push('query');
      const error = errors.shift();
      if (error) throw error;
      return 'answer';
    },
  };
  const client = {
    workflow: { getHandle: () => handle },
    withDeadline: (_: number, work: () => unknown) => work(),
  };
  return { temporal: { client } as unknown as Temporal, calls };
}

test('asking a run: it has a task to do → asked when that is done (ST3)', async () => {
  const { temporal, calls } = run({ pendingLooks: 2 });
  expect(await askRun(temporal, { id: 'r', timeoutMs: 60_000 }, query)).toBe('answer');
  expect(calls).toEqual(['look', 'look', 'look', 'query']);
});

test('asking a run: the guard refuses the query → asked again (ST3)', async () => {
  const { temporal, calls } = run({ errors: [new QueryNotRegisteredError(REFUSAL, 3)] });
  expect(await askRun(temporal, { id: 'r', timeoutMs: 60_000 }, query)).toBe('answer');
  expect(calls).toEqual(['look', 'query', 'look', 'query']);
});

test('asking a run: its task has no worker → asked all the same before the time is over', async () => {
  const { temporal, calls } = run({ pendingLooks: 1_000 });
  expect(await askRun(temporal, { id: 'r', timeoutMs: 40 }, query)).toBe('answer');
  expect(calls.at(-1)).toBe('query');
});
