import { DISCOUNTS } from './discounts.js';
import { round } from './money.js';

export function total(cart, code) {
  const sum = cart.items.reduce((all, item) => all + item.count * item.price, 0);
  const share = DISCOUNTS[code] ?? 0;
  return round(sum - sum * share);
}
