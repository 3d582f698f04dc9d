/** When a thread is changed to send less (X2). */
import { expect, test } from 'vitest';
import { thinPays } from '../../../../src/core/context/decide.js';

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
