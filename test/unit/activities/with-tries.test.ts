/** How often an activity may fail, however many tries Temporal makes. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { withTries } from '../../../src/activities/with-tries.js';

async function failureOf(attempt: number, error: unknown): Promise<unknown> {
  const activity = withTries(3, () => Promise.reject(error));
  return new MockActivityEnvironment({ attempt }).run(activity, null).catch((failure: unknown) => failure);
}

test('tries: it fails before its last → tried again; with the last, or behind it → for good, with its type (C13)', async () => {
  const error = ApplicationFailure.retryable('the disk is full', 'store');
  for (const attempt of [1, 2]) expect(await failureOf(attempt, error)).toBe(error);
  // Those between were lost with their workers.
  for (const attempt of [3, 9])
    expect(await failureOf(attempt, error)).toMatchObject({
      ...{ message: 'the disk is full', type: 'store', nonRetryable: true },
    });
  expect(await failureOf(3, new Error('no'))).toMatchObject({ message: 'no', nonRetryable: true });
});

test('tries: it is cancelled in its last → that is no failure of its own', async () => {
  const error = new CancelledFailure('WORKER_SHUTDOWN');
  expect(await failureOf(3, error)).toBe(error);
});
