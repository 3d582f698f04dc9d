/** Shares of the sum that a code takes off; see docs/discounts.md. */
export const DISCOUNTS = {
  TENOFF: 0.01,
  HALF: 0.5,
  STAFF: 0.25,
};
