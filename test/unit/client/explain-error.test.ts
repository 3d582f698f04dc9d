import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { explainError } from '../../../src/client/grpc-errors.js';

function failedWrite(path: string): unknown {
  try {
    writeFileSync(path, 'x');
  } catch (error) {
    return error;
  }
  throw new Error('it was written');
}

test('errors: the disk is full → said with the file and what to do, not as a fault of ours (TE8)', () => {
  const full = failedWrite('/dev/full');
  expect(explainError(full)).toMatchObject({ message: expect.stringMatching(/^The disk is full.*ENOSPC/) });
});

test('errors: a bug → no explanation, so that it is reported', () => {
  expect(explainError(new TypeError('x is not a function'))).toBeNull();
});
