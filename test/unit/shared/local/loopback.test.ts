import { expect, test } from 'vitest';
import { isLoopback } from '../../../../src/shared/local/loopback.js';

test.each([
  ['localhost:7233', true],
  ['localhost', true],
  ['127.0.0.1:7233', true],
  ['127.1.2.3:80', true],
  ['[::1]:7233', true],
  ['[::1]', true],
  ['::1', true],
  ['::1:7233', false],
  ['127.evil.example:7233', false],
  ['localhost.evil.example:7233', false],
  ['10.0.0.1:7233', false],
  ['temporal.example:7233', false],
])('address %s → is this machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
