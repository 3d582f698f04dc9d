import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { BOUNDS } from '../../../../src/conversation/state-bounds.js';
import {
  cachedPercent,
  MOST_USAGE_ENTRIES,
  type UsageEntry,
  usageByRole,
  usageOf,
  withCalls,
} from '../../../../src/run/limits/usage-by.js';
import { addUsage, NO_USAGE, type Usage } from '../../../../src/run/messages/message.js';

const usage = (more: Partial<Usage>): Usage => ({ ...NO_USAGE, ...more });
const planner = { role: 'planner', model: 'p/a' };
const executor = { role: 'executor', model: 'p/a' };

describe('usage by role and model', () => {
  test.each<[string, [typeof planner, Usage][], UsageEntry[]]>([
    ['a call that used nothing → counted, zeros left out', [[planner, NO_USAGE]], [{ ...planner, calls: 1 }]],
    [
      'two calls of one pair → one entry, every figure summed',
      [
        [planner, usage({ inputTokens: 9, cachedInputTokens: 4, cacheWriteInputTokens: 2, costUsd: 0.5 })],
        [planner, usage({ inputTokens: 1, outputTokens: 3, reasoningTokens: 2, costUsd: 0.25 })],
      ],
      [
        {
          ...planner,
          calls: 2,
          inputTokens: 10,
          outputTokens: 3,
          cachedInputTokens: 4,
          cacheWriteInputTokens: 2,
          reasoningTokens: 2,
          costUsd: 0.75,
        },
      ],
    ],
    [
      'another role, another model → entries of their own, in the order they came on',
      [
        [planner, usage({ inputTokens: 1 })],
        [executor, usage({ inputTokens: 2 })],
        [{ ...planner, model: 'p/b' }, usage({ inputTokens: 3 })],
      ],
      [
        { ...planner, calls: 1, inputTokens: 1 },
        { ...executor, calls: 1, inputTokens: 2 },
        { role: 'planner', model: 'p/b', calls: 1, inputTokens: 3 },
      ],
    ],
    [
      'an unknown cost, an estimate → of that pair alone',
      [
        [planner, usage({ inputTokens: 1, costUsd: null, estimated: true })],
        [executor, usage({ inputTokens: 1, costUsd: 0.5 })],
        [planner, usage({ inputTokens: 1, costUsd: 0.5 })],
      ],
      [
        { ...planner, calls: 2, inputTokens: 2, costUsd: null, estimated: true },
        { ...executor, calls: 1, inputTokens: 1, costUsd: 0.5 },
      ],
    ],
  ])('withCalls: %s (M9)', (_title, calls, entries) => {
    expect(
      calls.reduce<UsageEntry[]>((all, [of, used]) => withCalls(all, { ...of, calls: 1, ...used }), []),
    ).toEqual(entries);
  });

  test('withCalls: more pairs than are kept, names of any length → the rest in one entry, the sum whole, within the bound (M9, ST1)', () => {
    const most = 999_999_999_999;
    let entries: UsageEntry[] = [];
    let sum = NO_USAGE;
    for (let n = 0; n < 90; n += 1) {
      const model = `p/${n % 45}${'帆'.repeat(n % 2 ? 20 : n === 4 ? 200 : 0)}`;
      const used = usage({ inputTokens: n, cachedInputTokens: 1, outputTokens: 2 * n, costUsd: n / 1_024 });
      sum = addUsage(sum, used);
      entries = withCalls(entries, { role: 'executor', model, calls: 1, ...used });
    }
    expect(entries).toHaveLength(MOST_USAGE_ENTRIES);
    expect(entries.filter(({ role }) => role === '(others)')).toHaveLength(1);
    expect(entries.map(usageOf).reduce(addUsage, NO_USAGE)).toEqual(sum);
    expect(entries.reduce((count, { calls }) => count + calls, 0)).toBe(90);
    const atMost = [...entries, { role: 'r', model: 'p/'.padEnd(90), calls: 1 }];
    const long = atMost.map(entry => ({
      role: entry.role,
      model: entry.model,
      calls: most,
      inputTokens: most,
      outputTokens: most,
      cachedInputTokens: most,
      cacheWriteInputTokens: most,
      reasoningTokens: most,
      costUsd: 0.1 + 0.2,
      estimated: true,
    }));
    expect(jsonBytes(long)).toBeLessThanOrEqual(BOUNDS['total.usageBy']);
  });

  test('usageByRole: a role with two models → their sum (M9)', () => {
    const entries = [
      { ...planner, calls: 1, inputTokens: 5, cachedInputTokens: 5 },
      { ...executor, calls: 1, inputTokens: 7 },
      { role: 'planner', model: 'p/b', calls: 2, inputTokens: 5 },
    ];
    expect(usageByRole(entries)).toEqual(
      new Map([
        ['planner', usage({ inputTokens: 10, cachedInputTokens: 5 })],
        ['executor', usage({ inputTokens: 7 })],
      ]),
    );
  });

  test.each([
    [0, 0, null],
    [100, 0, 0],
    [1_000, 999, 99],
    [8, 8, 100],
  ])('cachedPercent: of %d input tokens %d cached → %j', (inputTokens, cachedInputTokens, percent) => {
    expect(cachedPercent(usage({ inputTokens, cachedInputTokens }))).toBe(percent);
  });
});
