/** When a thread is changed to send less (X2). */
import { expect, test } from 'vitest';
import {
  carryingCostsMore,
  compactionPays,
  isShare,
  softTokensOf,
  summaryIsAffordable,
  summaryShrinks,
  thinPays,
} from '../../../../src/features/context/pays.js';

const AT_SOFT = { before: 26_000, after: 13_000, cachedShare: 0, turns: 20 };

test.each([
  ['nothing is cached', AT_SOFT, true],
  ['all is cached, and many turns are reckoned with', { ...AT_SOFT, cachedShare: 1 }, true],
  ['all is cached, and few turns are', { ...AT_SOFT, cachedShare: 1, turns: 8 }, false],
  ['half is cached, and few turns are', { ...AT_SOFT, cachedShare: 0.5, turns: 8 }, true],
  ['next to nothing is saved', { ...AT_SOFT, after: 25_000 }, false],
  ['nothing is saved', { ...AT_SOFT, after: 26_000 }, false],
])('X2: %s → %o pays: %s', (_why, asked, pays) => {
  expect(thinPays(asked)).toBe(pays);
});

const CARRIED = { before: 30_000, saved: 15_000, behind: 11_000, carried: 130_000, cachedShare: 1 };

test.each([
  ['they have cost as much as a break of the cache and some that are read again', CARRIED, true],
  ['they have not cost as much yet', { ...CARRIED, carried: 120_000 }, false],
  ['more stays behind them, and is sent at the full price', { ...CARRIED, behind: 14_000 }, false],
  [
    'no cache breaks, so that only what is read again counts',
    { ...CARRIED, carried: 2_500, cachedShare: 0 },
    true,
  ],
  ['little is saved, whatever it has cost', { ...CARRIED, saved: 8_000, carried: 1_000_000 }, false],
])('X2: results that nothing needs: %s → %o, left out: %s', (_why, asked, pays) => {
  expect(carryingCostsMore(asked)).toBe(pays);
});

const SUMMARISED = { before: 26_000, kept: 10_000, earlier: 0, cachedShare: 0, turns: 20 };

test.each([
  ['nothing is cached', SUMMARISED, true],
  ['nothing is cached, and a few turns are reckoned with', { ...SUMMARISED, turns: 2 }, false],
  ['all is cached, and many turns are', { ...SUMMARISED, cachedShare: 1, turns: 50 }, true],
  ['all is cached, and few turns are', { ...SUMMARISED, cachedShare: 1, turns: 10 }, false],
  ['there is little of it', { ...SUMMARISED, before: 2_500, kept: 600, turns: 1_000 }, false],
  ['most of it would stay', { ...SUMMARISED, kept: 18_000, turns: 1_000 }, false],
  ['most of it is an earlier summary', { ...SUMMARISED, earlier: 9_000, turns: 1_000 }, false],
])('X2: a summary, %s → %o pays: %s', (_why, asked, pays) => {
  expect(compactionPays(asked)).toBe(pays);
});

const PRICE = { sent: 400_000, spent: 0, price: 37_000 };

test.each([
  ['a goal that has sent enough', PRICE, true],
  ['one that has sent little', { ...PRICE, sent: 300_000 }, false],
  ['one that has sent nothing', { ...PRICE, sent: 0 }, false],
  ['summaries before it', { ...PRICE, spent: 40_000 }, false],
  ['summaries before it, long ago', { ...PRICE, spent: 40_000, sent: 800_000 }, true],
])('LL1: a summary after %s → %o is affordable: %s', (_what, price, isAffordable) => {
  expect(summaryIsAffordable(price)).toBe(isAffordable);
});

test.each([
  [700, 1_000, true],
  [701, 1_000, false],
  [1, 0, false],
])('LL1: a summary of %i tokens for %i → shrinks them: %s', (written, gone, shrinks) => {
  expect(summaryShrinks(written, gone)).toBe(shrinks);
});

test('X2: a role with a limit of its own → that; any other → that of all', () => {
  const rules = { softTokens: 26_000, roles: { planner: 4_000 } };
  expect(['planner', 'executor', 'toString'].map(role => softTokensOf(rules, role, 1_000))).toEqual([
    4_000, 26_000, 26_000,
  ]);
});

test('SE3: no number of tokens → a share of the window of the model', () => {
  expect(softTokensOf({ softTokens: 0.4 }, 'executor', 128_000)).toBe(51_200);
  const some = { softTokens: 0.4, roles: { planner: 4_000 } };
  expect(['executor', 'planner'].map(role => isShare(some, role))).toEqual([true, false]);
});
