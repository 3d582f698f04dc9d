/** How many tasks a worker takes at a time. */
import { expect, test } from 'vitest';
import { BESIDE_REPLAYS, CACHED, REPLAYS, slotsOf, WorkflowSlots } from '../../../src/worker/slots.js';

const cached = { isSticky: true };
const other = { isSticky: false };
const slotInfo = { type: 'workflow', workflowType: 'steersman', isSticky: false } as const;
const never = new AbortController().signal;

/** Takes slots until there is none. */
function takeAll(slots: WorkflowSlots, asked: { isSticky: boolean }) {
  const permits = [];
  for (let permit = slots.tryReserveSlot(asked); permit; permit = slots.tryReserveSlot(asked))
    permits.push(permit);
  return permits;
}

test('slots: nothing is replayed → many tasks of cached runs, few of others, none takes the place of the other', () => {
  const slots = new WorkflowSlots();
  expect(takeAll(slots, cached)).toHaveLength(CACHED);
  expect(takeAll(slots, other)).toHaveLength(REPLAYS);
});

test('slots: a replay is at work → few tasks of cached runs, until it ends; a poll without a task is no replay', () => {
  const slots = new WorkflowSlots();
  const [permit = other, idle = other] = takeAll(slots, other);
  slots.markSlotUsed({ permit });
  const few = takeAll(slots, cached);
  expect(few).toHaveLength(BESIDE_REPLAYS);
  for (const each of few) slots.markSlotUsed({ permit: each });
  slots.releaseSlot({ permit: idle });
  expect(takeAll(slots, cached)).toEqual([]);
  slots.releaseSlot({ permit, slotInfo });
  expect(takeAll(slots, cached)).toHaveLength(CACHED - BESIDE_REPLAYS);
  expect(takeAll(slots, other)).toHaveLength(2);
});

test('slots: polls that wait for a slot → each takes one as soon as one of its kind is free', async () => {
  const slots = new WorkflowSlots();
  const [permit = other] = takeAll(slots, other);
  const taken: string[] = [];
  const first = slots.reserveSlot(other, never).then(() => taken.push('other'));
  await slots.reserveSlot(cached, never).then(() => taken.push('cached'));
  expect(taken).toEqual(['cached']);
  slots.markSlotUsed({ permit });
  slots.releaseSlot({ permit, slotInfo });
  await first;
  expect(taken).toEqual(['cached', 'other']);
});

test('slots: a poll that waits no longer → it takes no slot, and hears why', async () => {
  const slots = new WorkflowSlots();
  const [permit = other] = takeAll(slots, other);
  const poll = new AbortController();
  const waits = slots.reserveSlot(other, poll.signal);
  poll.abort();
  await expect(waits).rejects.toBe(poll.signal.reason);
  await expect(slots.reserveSlot(other, poll.signal)).rejects.toBe(poll.signal.reason);
  slots.releaseSlot({ permit });
  expect(takeAll(slots, other)).toHaveLength(1);
});

const options = { taskQueue: 'steersman' };

test.each([
  ['a tuner', { tuner: { tunerOptions: { targetMemoryUsage: 0.8, targetCpuUsage: 0.8 } } }, []],
  [
    'a limit',
    { maxConcurrentActivityTaskExecutions: 7 },
    ['maxConcurrentWorkflowTaskExecutions', 'maxConcurrentActivityTaskExecutions'],
  ],
  ['neither', {}, ['workflowTaskPollerBehavior', 'activityTaskPollerBehavior', 'tuner']],
])('slots: an application that sets %s → it stays, and the SDK takes all', (_what, own, ours) => {
  expect(Object.keys(slotsOf({ ...options, ...own }))).toEqual(ours);
});
