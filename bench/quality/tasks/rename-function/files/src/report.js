import { calcTotal } from './orders.js';

// calcTotals is for many orders, calcTotal for one.
export function calcTotals(orders) {
  return orders.map(order => calcTotal(order));
}

export function describe(order) {
  return `calcTotal: ${calcTotal(order).toFixed(2)}`;
}
