import { describe, expect, test } from 'vitest';
import { stuckLine, stuckTask, type TaskFailure } from '../../../../src/client/record/stuck-task.js';

const failed = (cause: number, message: string): TaskFailure => ({
  kind: 'failed',
  cause,
  message,
  worker: '7@host',
  build: 'steersman-1',
});

describe('a run whose workflow task fails again and again', () => {
  const at = (attempt: number, last: TaskFailure | null) =>
    stuckTask({ id: 'my-run', taskQueue: 'steersman', attempt, last });

  test.each<[string, TaskFailure | null, RegExp, RegExp]>([
    [
      'its history does not fit, by the cause',
      failed(24, 'no match'),
      /does not fit the code of worker 7@host, version steersman-1: no match/,
      /version that the run began with.*worker.*--task-queue steersman --replay/,
    ],
    [
      'its history does not fit, by the message alone',
      failed(14, '[TMPRL1100] Nondeterminism error: Activity machine does not handle this event'),
      /does not fit/,
      /run\.history\(\)/,
    ],
    [
      'its history does not fit, in the words of the SDK for an impossible event',
      failed(14, 'Fatal error in workflow machines: ActivityMachine says the transition is invalid'),
      /does not fit/,
      /reset/,
    ],
    [
      'what it records is too large, by the cause',
      failed(37, 'payloads'),
      /larger than Temporal takes: payloads/,
      /terminate --workflow-id my-run/,
    ],
    [
      'what it records is too large, by the message',
      failed(11, 'ContinueAsNewWorkflowExecutionCommandAttributes.Input exceeds size limit.'),
      /larger than Temporal takes/,
      /run\.show\(\)/,
    ],
    [
      'its code throws',
      failed(14, 'x is not a function'),
      /code fails on worker 7@host.*x is not a f/,
      /mended/,
    ],
    ['workers do not answer in time', { kind: 'timed_out' }, /do not answer in time/, /task queue steersman/],
    ['workers die, and leave no event', null, /do not answer in time/, /task queue steersman/],
  ])('%s → the cause, and what to do (ST3)', (_, last, what, todo) => {
    const stuck = at(3, last);
    expect(stuck?.what).toMatch(what);
    expect(stuck?.todo).toMatch(todo);
    expect(stuck && stuckLine(stuck)).toMatch(/attempt 3/);
  });

  test.each<[string, number, TaskFailure | null, boolean]>([
    ['no task', 0, null, false],
    ['a first attempt', 1, null, false],
    ['a second after a worker died', 2, null, false],
    ['a second after an error of the code, which may pass', 2, failed(14, 'x is not a function'), false],
    ['a second where the history does not fit', 2, failed(24, 'no match'), true],
    ['a second where it is too large', 2, failed(37, 'payloads'), true],
  ])('%s → told only where no further attempt can help', (_, attempt, last, isStuck) => {
    expect(at(attempt, last) !== null).toBe(isStuck);
  });
});
