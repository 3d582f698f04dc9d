import { expect, test } from 'vitest';
import { usageTable } from '../../../../packages/print/show-run.js';

test('usageTable: roles and models → a line each, the share of cached input by role, costs as far as known (M9)', () => {
  const table = usageTable([
    { role: 'planner', model: 'p/a', calls: 2, inputTokens: 1_000, cachedInputTokens: 500, costUsd: 0.5 },
    { role: 'executor', model: 'p/a', calls: 1, inputTokens: 12_000, outputTokens: 30, costUsd: null },
    { role: 'planner', model: 'home/b', calls: 1, inputTokens: 1_000, outputTokens: 8 },
  ]);
  expect(table).toEqual([
    'role      model     calls   input  cached  output          cost',
    'planner   2 models      3   2,000    25 %       8       $0.5000',
    'planner   p/a           2   1,000    50 %       0       $0.5000',
    'planner   home/b        1   1,000     0 %       8       $0.0000',
    'executor  p/a           1  12,000     0 %      30  cost unknown',
  ]);
});

test('usageTable: nothing was called yet → no lines', () => {
  expect(usageTable([])).toEqual([]);
});
