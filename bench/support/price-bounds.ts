/** Above what `bench -- price` fails beside a loop that sends everything again. */

/** Of its tokens, in the long task, by model. */
const MOST_SENT: Readonly<Record<string, number>> = { long: 0.9, 'long at 32K': 0.7, 'long at 16K': 0.4 };
/** Of its price, by the side that works on the long task with a large model. */
const MOST_PRICE: Readonly<Record<string, number>> = { react: 1, team: 1.15 };
/** From so many turns on it must pay, whatever the model takes (Q5). */
const MANY_TURNS = 100;
const MOST_SENT_OF_MANY = 0.5;
const MOST_PRICE_OF_MANY = 0.9;

/** Of the loop's: tokens sent, and their price where what is cached costs a tenth. */
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
