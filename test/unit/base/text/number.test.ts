/** Numbers that people type, as limits and in fields. */
import { expect, test } from 'vitest';
import { readNumber } from '../../../../src/base/text/number.js';

test.each<[string, number | null]>([
  ['25', 25],
  [' 2.5 ', 2.5],
  ['1_500_000', 1_500_000],
  ['1 500 000', 1_500_000],
  ['1\u202f500', 1_500],
  ['1e3', 1_000],
  ['-1', -1],
  ['+3', 3],
  ['２５', 25],
  ['0', 0],
  // One comma parts thousands here, and decimals there.
  ['2,5', null],
  ['1,500', null],
  ['1,500,000', 1_500_000],
  ['1,500_000', null],
  ['２，５', null],
  ['1.500.000', null],
  ['10_00', null],
  ['1__000', null],
  ['٣', null],
  ['10²', null],
  ['½', null],
  ['0x10', null],
  ['1e999', null],
  ['Infinity', null],
  ['NaN', null],
  ['--1', null],
  ['2 .5', null],
  ['', null],
  [' ', null],
  ['5 tokens', null],
])('WB14 readNumber: %j → %j', (text, number) => {
  expect(readNumber(text)).toBe(number);
});
