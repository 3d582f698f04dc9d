import { share } from './money.js';

const SHIPPING = 490;
const FREE_FROM = 5000;
const MANY = 10;
const MANY_PERCENT = 10;

/**
 * @param lines { cents, pieces, deposit?, shipsFree? }
 * @param coupon percent, 0 for none
 */
export function total(lines, coupon = 0) {
  const goods = lines.reduce((sum, line) => sum + lineTotal(line), 0);
  const deposits = lines.reduce((sum, line) => sum + (line.deposit ?? 0) * line.pieces, 0);
  const reduced = goods - share(goods, coupon);
  return reduced + deposits + shipping(lines, reduced);
}

function lineTotal({ cents, pieces }) {
  const whole = cents * pieces;
  return pieces > MANY ? whole - share(whole, MANY_PERCENT) : whole;
}

function shipping(lines, reduced) {
  if (lines.every(line => line.shipsFree)) return 0;
  return reduced > FREE_FROM ? 0 : SHIPPING;
}
