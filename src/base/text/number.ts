/** WB14. Reads numbers as people type them, by one rule for all limits, fields and options. */

/** A single comma is ambiguous, because countries differ in its meaning; two commas separate thousands. */
const NUMBER =
  /^[-+]?(?:\d{1,3}(?:[_ \u00a0\u2009\u202f]\d{3})+|\d{1,3}(?:,\d{3}){2,}|\d+)(?:\.\d+)?(?:e[-+]?\d{1,3})?$/i;

/** Returns null for text that is not a number, or that is ambiguous, such as `2,500`. */
export function readNumber(text: string): number | null {
  const typed = text.trim().replace(/[０-９．]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
  if (!NUMBER.test(typed)) return null;
  const number = Number(typed.replace(/[,_ \u00a0\u2009\u202f]/g, ''));
  return Number.isFinite(number) ? number : null;
}

export const NUMBER_HINT = 'Write digits, with a point before decimals: 2500000, 2_500_000 or 2.5.';
