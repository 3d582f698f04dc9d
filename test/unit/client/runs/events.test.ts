import { expect, test, vi } from 'vitest';
import type { ClientScope } from '../../../../src/client/client-scope.js';
import { Run } from '../../../../src/client/run/run.js';
import { listenToStream } from '../../../../src/client/vocabularies/index.js';
import { WORKFLOW_TYPE } from '../../../../src/workflows/messages.js';

/** The pauses between looks, in milliseconds, which end at once here. */
const pauses = vi.hoisted((): number[] => []);
vi.mock('node:timers/promises', async original => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: async (ms: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    // That of the patience is another one.
    if (ms <= 1_000) pauses.push(ms);
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    return value;
  },
}));

/** A run that waits for somebody; `looked` for each look at it, which gives whether its workers are behind. */
function waitingRun(looked: () => unknown): Run {
  const found = {
    workflowId: 'r',
    runId: 'part',
    taskQueue: 'q',
    type: WORKFLOW_TYPE,
    status: { name: 'RUNNING' },
    historyLength: 1,
  };
  const handle = {
    describe: async () => {
      const raw = { pendingWorkflowTask: looked() === true ? {} : null, pendingActivities: [] };
      return { ...found, raw };
    },
    query: async () => ({ events: [], more: false, missed: 0, previousRunId: null, open: true }),
  };
  const client = {
    workflow: { getHandle: () => handle },
    withDeadline: (_: number, work: () => unknown) => work(),
  };
  const temporal = { client, local: null, address: 'none', namespace: 'default' };
  const scope = { temporal, home: '/nowhere', closing: new AbortController().signal };
  return new Run(scope as unknown as ClientScope, {
    id: 'r',
    runId: 'part',
    taskQueue: 'q',
    workspace: null,
  });
}

test('events: a run of which nothing comes is left → its watch ends, and nobody looks at it any more (V1)', async () => {
  const looked = vi.fn();
  const events = waitingRun(looked).events({ pollMs: 1, live: false });
  const unlisten = listenToStream(events, { onError: error => expect.unreachable(error.message) });
  await vi.waitFor(() => expect(looked.mock.calls.length).toBeGreaterThan(3));
  unlisten();
  await events.return(undefined);
  expect((await events.next()).done).toBe(true);
});

test('events: a worker is still taking in what happened → looked at again soon, and ever later while it is away (V1)', async () => {
  const ending = new AbortController();
  const looked = vi.fn(() => true);
  pauses.length = 0;
  const events = waitingRun(looked).events({ pollMs: 1_000, live: false, signal: ending.signal });
  const next = events.next();
  await vi.waitFor(() => expect(pauses.length).toBeGreaterThan(6));
  ending.abort();
  await next;
  expect(pauses.slice(0, 7)).toEqual([30, 60, 120, 240, 480, 960, 1_000]);
});

test('events: the signal that was given is aborted → the same (V1)', async () => {
  const ending = new AbortController();
  const events = waitingRun(() => undefined).events({ pollMs: 1, live: false, signal: ending.signal });
  const next = events.next();
  ending.abort();
  expect((await next).done).toBe(true);
});
