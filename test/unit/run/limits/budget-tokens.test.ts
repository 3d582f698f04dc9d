import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budgetTokens, cacheDiscount } from '../../../../src/run/limits/budget-tokens.js';
import { addUsage, isUsage, NO_USAGE, type Usage } from '../../../../src/run/messages/message.js';

type Prices = Parameters<typeof cacheDiscount>[1];

function counted(inputTokens: number, cachedInputTokens: number, prices: Prices, more: Partial<Usage> = {}) {
  const usage = { ...NO_USAGE, inputTokens, cachedInputTokens, outputTokens: 50, ...more };
  return budgetTokens({ ...usage, cacheDiscountTokens: cacheDiscount(usage, prices) });
}

describe('budgetTokens', () => {
  test.each<[string, number, number]>([
    ['nothing cached → input and output', counted(1_000, 0, { input: 3, cachedInput: 0.3 }), 1_050],
    ['cached at a tenth of the price → a tenth', counted(1_000, 900, { input: 3, cachedInput: 0.3 }), 240],
    ['cached at half of the price → half', counted(1_000, 900, { input: 2, cachedInput: 1 }), 600],
    ['the cache costs nothing → only what is new', counted(1_000, 900, { input: 2, cachedInput: 0 }), 150],
    ['no price of the cache → all, as it costs', counted(1_000, 900, { input: 3 }), 1_050],
    ['a cache dearer than input → as input', counted(1_000, 900, { input: 3, cachedInput: 4 }), 1_050],
    ['no prices known → a tenth', counted(1_000, 900, null), 240],
    ['a model that costs nothing → a tenth', counted(1_000, 900, { input: 0 }), 240],
    ['written to a cache → as input', counted(1_000, 0, null, { cacheWriteInputTokens: 900 }), 1_050],
    ['not even → whole tokens', counted(1_000, 333, { input: 3, cachedInput: 0.3 }), 667 + 33 + 50],
    ['more cached than there is input → as all of it', counted(1_000, 9_000, null), 150],
    [
      'all of three calls of a large conversation, from the cache',
      3 * counted(260_505, 260_000, null),
      79_665,
    ],
    [
      'usage of earlier versions → all',
      budgetTokens({ ...NO_USAGE, inputTokens: 9, cachedInputTokens: 9 }),
      9,
    ],
    [
      'a discount of more than is cached → no more than that',
      budgetTokens({ ...NO_USAGE, inputTokens: 100, cachedInputTokens: 10, cacheDiscountTokens: 90 }),
      90,
    ],
  ])('LI10 %s', (_title, tokens, expected) => {
    expect(tokens).toBe(expected);
  });

  test('LI10 any usage and prices → whole, between a tenth of a part and the whole, and the same in parts as in sum', () => {
    const tokens = fc.integer({ min: 0, max: 1_000_000 });
    const prices = fc.option(
      fc.record({
        input: fc.float({ min: 0, max: 90, noNaN: true }),
        cachedInput: fc.float({ min: 0, max: 90, noNaN: true }),
      }),
    );
    const call = fc
      .tuple(tokens, tokens, tokens, prices)
      .map(([fresh, cached, outputTokens, price]): Usage => {
        const usage = { ...NO_USAGE, inputTokens: fresh + cached, cachedInputTokens: cached, outputTokens };
        const cacheDiscountTokens = cacheDiscount(usage, price);
        return { ...usage, ...(cacheDiscountTokens > 0 && { cacheDiscountTokens }) };
      });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 9 }), calls => {
        const parts = calls.map(budgetTokens);
        for (const [at, usage] of calls.entries()) {
          expect(isUsage(usage)).toBe(true);
          expect(Number.isSafeInteger(parts[at])).toBe(true);
          expect(parts[at]).toBeLessThanOrEqual(usage.inputTokens + usage.outputTokens);
          expect(parts[at]).toBeGreaterThanOrEqual(
            usage.inputTokens - usage.cachedInputTokens + usage.outputTokens,
          );
        }
        const sum = parts.reduce((all, part) => all + part, 0);
        expect(budgetTokens(calls.reduce(addUsage, NO_USAGE))).toBe(sum);
      }),
    );
  });
});
