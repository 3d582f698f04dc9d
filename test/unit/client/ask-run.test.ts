import { QueryNotRegisteredError } from '@temporalio/client';
import { defineQuery } from '@temporalio/workflow';
import { expect, test } from 'vitest';
import { askRun } from '../../../src/client/connection/ask-run.js';
import type { Temporal } from '../../../src/client/connection/connect.js';
import { fromWorker } from '../../../src/client/record/runs.js';
import { WORKFLOW_TYPE } from '../../../src/run/agents/run-config.js';
import { REFUSAL } from '../../../src/run/limits/failure.js';

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
  return { temporal: clientOf(handle) as unknown as Temporal, calls };
}

function clientOf(handle: object) {
  const withDeadline = (_: number, work: () => unknown) => work();
  return { client: { workflow: { getHandle: () => handle }, withDeadline } };
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

test('what only a worker knows: the server answers, no worker does → unserved, not a word against the server', async () => {
  const late = Object.assign(new Error('4 DEADLINE_EXCEEDED'), { code: 4 });
  const knows = 'its state';
  const describe = async () => ({ type: WORKFLOW_TYPE, taskQueue: 'q' });
  const temporal = { ...clientOf({ describe }), local: null } as unknown as Temporal;
  const asked = fromWorker(temporal, 'r', { knows, ask: () => Promise.reject(late) });
  await expect(asked).rejects.toMatchObject({ code: 'unserved', message: expect.stringContaining(knows) });
});
