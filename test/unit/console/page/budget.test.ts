/** A used-up budget at its gate, in the unit in which people think of it. */
import { expect, test } from 'vitest';
import { isUsedUp } from '../../../../packages/console/page/gates/budget.js';
import { proposedLimit, typedLimit } from '../../../../packages/console/page/gates/budget-field.js';

test.each([
  ['tokens', 1_000_000, 1_000_200, '2000400', 3_000_000, '3_000_000'],
  ['time, in minutes', 600_000, 600_000, '20', 1_800_000, '30'],
  ['a cost', 0.4, 0.4213, '0.85', 2.5, '2.5'],
])('FC6 the limit of %s → proposed and read as people type it', (name, limit, used, proposed, to, typed) => {
  const budget = name === 'tokens' ? 'tokens' : name === 'a cost' ? 'costUsd' : 'wallTimeMs';
  const subject = { budget, limit, used } as const;
  expect(proposedLimit(subject)).toBe(proposed);
  expect(typedLimit(subject, typed)).toBe(to);
  expect(typedLimit(subject, 'twice')).toBe('twice');
  expect(isUsedUp(subject)).toBe(true);
});

test('FC6 a cost that nobody knows → it is not called used up', () => {
  expect(isUsedUp({ budget: 'costUsd', limit: 5, used: 0 })).toBe(false);
});
