import { total } from './cart.js';
import { shown } from './money.js';

/** One line for each article, then the total. */
export function receipt(lines, coupon) {
  const rows = lines.map(({ name, pieces, cents }) => `${pieces} x ${name}  ${shown(cents)}`);
  return [...rows, `total  ${shown(total(lines, coupon))}`].join('\n');
}
