import { share } from './money.js';

const SHIPPING = 490;
const FREE_FROM = 5000;

/** lines: { cents, pieces } */
export function total(lines) {
  const goods = lines.reduce((sum, line) => sum + lineTotal(line), 0);
  return goods > FREE_FROM ? goods : goods + SHIPPING;
}

function lineTotal({ cents, pieces }) {
  const whole = cents * pieces;
  return pieces > 10 ? whole - share(whole, 10) : whole;
}
