import { isDeepStrictEqual } from 'node:util';
import { type Checker, jsonOf, needs, onlyChanged } from '../../check.js';

/** The prices after the raise, which leaves out books 2 and 5. */
const PRICES = [1.32, 24, 43.95, 17.05, 18.9, 8.2];

interface Catalogue {
  articles?: { price?: number }[];
}

export const check: Checker = end => {
  const now = jsonOf(end, 'prices.json') as Catalogue | undefined;
  const before = JSON.parse(end.before['prices.json'] ?? '{}') as Catalogue;
  const articles = before.articles?.map((article, at) => ({ ...article, price: PRICES[at] }));
  return [
    ...onlyChanged(end, ['prices.json']),
    ...needs(isDeepStrictEqual(now, { ...before, articles }), 'prices.json is not as it should be'),
  ];
};
