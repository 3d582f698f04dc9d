/** The bounds of `bench -- price`, relative to a loop that sends everything again. */

/** The most tokens of the long task, as a share of the loop's, by model. */
const MOST_SENT: Readonly<Record<string, number>> = { long: 0.9, 'long at 32K': 0.7, 'long at 16K': 0.4 };
/** The highest price of the long task with a large model, as a share of the loop's, by side. */
const MOST_PRICE: Readonly<Record<string, number>> = { react: 1, team: 1.15 };
/** From this number of turns on, a run must be cheaper than the loop with every model (Q5). */
const MANY_TURNS = 100;
const MOST_SENT_OF_MANY = 0.5;
const MOST_PRICE_OF_MANY = 0.9;

/** A side's tokens and price as shares of the loop's. A cached token costs a tenth. */
export interface OfLoop {
  sent: number;
  price: number;
}

export function loopFaults(
  { task, side, turns }: { task: string; side: string; turns: number },
  { sent, price }: OfLoop,
): string[] {
  const most = side === 'react' ? MOST_SENT[task] : Number.POSITIVE_INFINITY;
  if (most === undefined || !(task in MOST_SENT)) return [];
  const isMany = turns >= MANY_TURNS;
  const mostSent = isMany ? Math.min(most, MOST_SENT_OF_MANY) : most;
  const mostPrice = Math.min(MOST_PRICE[side] ?? 1, isMany ? MOST_PRICE_OF_MANY : Number.POSITIVE_INFINITY);
  return [
    ...(sent > mostSent ? [`${task} in ${side} sends more than ${mostSent} times what a loop does.`] : []),
    ...(price > mostPrice ? [`${task} in ${side} costs more than ${mostPrice} times what a loop does.`] : []),
  ];
}
