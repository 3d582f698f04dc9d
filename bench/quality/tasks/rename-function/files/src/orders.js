import { priceOf } from './prices.js';

/** Sum of an order's lines. See also recalcTotal. */
export function calcTotal(order) {
  return order.lines.reduce((sum, line) => sum + line.count * priceOf(line.article), 0);
}

export function recalcTotal(order) {
  return { ...order, total: calcTotal(order) };
}
