const PRICES = { apple: 0.4, pear: 0.6, plum: 0.3 };

export function priceOf(article) {
  return PRICES[article] ?? 0;
}
