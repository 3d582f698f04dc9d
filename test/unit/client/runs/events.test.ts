import { expect, test, vi } from 'vitest';
import type { ClientScope } from '../../../../src/client/connection/client-scope.js';
import { Run } from '../../../../src/client/run/run-handle.js';
import { pauseMs } from '../../../../src/client/watch/watch-run.js';
import { WORKFLOW_TYPE } from '../../../../src/run/agents/run-config.js';
import { listenToStream } from '../../../../src/vocabularies.js';
import { eventually } from '../../../support/wait.js';

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
  await eventually(() => expect(looked.mock.calls.length).toBeGreaterThan(3));
  unlisten();
  await events.return(undefined);
  expect((await events.next()).done).toBe(true);
});

test('events: a worker is still taking in what happened → looked at again long before the next look is due (V1)', async () => {
  const ending = new AbortController();
  const looked = vi.fn(() => true);
  const events = waitingRun(looked).events({ pollMs: 3_600_000, live: false, signal: ending.signal });
  const next = events.next();
  await eventually(() => expect(looked.mock.calls.length).toBeGreaterThan(3));
  ending.abort();
  await next;
});

test('looks that are put off → the next one soon, and ever later while no worker is there', () => {
  expect([0, 1, 2, 3, 6, 7, 9].map(putOff => pauseMs(putOff, 1_000))).toEqual([
    ...[1_000, 30, 60, 120, 960, 1_000, 1_000],
  ]);
  expect(pauseMs(1, 20)).toBe(20);
});

test('events: the signal that was given is aborted → the same (V1)', async () => {
  const ending = new AbortController();
  const events = waitingRun(() => undefined).events({ pollMs: 1, live: false, signal: ending.signal });
  const next = events.next();
  ending.abort();
  expect((await next).done).toBe(true);
});
