import { expect, test, vi } from 'vitest';
import type { ClientScope } from '../../../../src/client/client-scope.js';
import { Run } from '../../../../src/client/run/run.js';
import { listenToStream } from '../../../../src/client/vocabularies/index.js';
import { WORKFLOW_TYPE } from '../../../../src/workflows/messages.js';

/** A run that waits for somebody, and of which there is nothing new; `looked` for each look at it. */
function waitingRun(looked: () => void): Run {
  const found = {
    workflowId: 'r',
    runId: 'part',
    taskQueue: 'q',
    type: WORKFLOW_TYPE,
    status: { name: 'RUNNING' },
    raw: { pendingWorkflowTask: null, pendingActivities: [] },
    historyLength: 1,
  };
  const handle = {
    describe: async () => {
      looked();
      return found;
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

test('events: the signal that was given is aborted → the same (V1)', async () => {
  const ending = new AbortController();
  const events = waitingRun(() => undefined).events({ pollMs: 1, live: false, signal: ending.signal });
  const next = events.next();
  ending.abort();
  expect((await next).done).toBe(true);
});
