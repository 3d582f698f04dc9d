import { expect, test } from 'vitest';
import { begun, durationText, overdue, readEstimate } from '../../../../src/run/plan/task-time.js';
import { task } from '../../../support/core-values.js';

test.each([
  [undefined, null],
  [null, null],
  ['soon', null],
  [{}, null],
  [-5, null],
  [0, null],
  [10, null],
  [999, null],
  [1_000, 1_000],
  ['600000', 600_000],
  [1_500.4, 1_500],
  [86_400_000, 86_400_000],
  [86_400_001, null],
  [Number.POSITIVE_INFINITY, null],
])('an estimate of %j → %j milliseconds: from a second to a day, all else says nothing', (said, ms) => {
  expect(readEstimate(said)).toBe(ms);
});

test.each([
  [null, 100, 1_000_000, null],
  [5_000, 100, 5_100, null],
  [5_000, 100, 5_101, { estimatedMs: 5_000, takenMs: 5_001 }],
])('a task of %j ms that began at %j, at %j of the working time → %j', (estimatedDuration, at, now, late) => {
  const began = begun(task('a', { estimatedDuration }), at);
  expect(began.status).toBe('executing');
  expect(begun({ ...began, overdue: true }, at)).toEqual(began);
  expect(overdue(began, now)).toEqual(late);
  expect(overdue({ ...began, begunMs: null }, now)).toBeNull();
});

test.each([
  [1_000, '1 s'],
  [119_000, '119 s'],
  [600_000, '10 min'],
  [9_000_000, '2.5 h'],
])('%j ms → %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
