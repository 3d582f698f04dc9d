/** FC5. Whether a page stays at its end while it grows, and which gates a person does not see. Pure. */

/** Of the page, in pixels: how far it is scrolled, how long it is, and how much of it is seen. */
export interface Place {
  top: number;
  height: number;
  view: number;
}

/** Pixels from the end that count as the end. */
const NEAR = 160;

/** At the end, whoever came there. */
function isAtEnd({ top, height, view }: Place): boolean {
  return height - top - view < NEAR;
}

/**
 * After something scrolled: only a person goes up, so that ends the following; what makes the page longer does not, however
 * much of it comes at once. A page that becomes shorter moves up by itself.
 */
export function stillFollows(follows: boolean, before: Place, now: Place): boolean {
  if (isAtEnd(now)) return true;
  const shrunk = Math.max(0, before.height - now.height) + Math.max(0, now.view - before.view);
  return follows && before.top - now.top <= shrunk + 1;
}

/** Where the buttons of an open gate stand in the window. */
export interface Buttons {
  top: number;
  bottom: number;
}

export interface Sight {
  /** So many gates have their buttons out of sight. */
  count: number;
  /** Where the first of them is. */
  where: 'above' | 'below';
  index: number;
}

/** Null where the buttons of each gate are seen. `from`, `to`: what of the window nothing covers. */
export function outOfSight(
  all: readonly Buttons[],
  { from, to }: { from: number; to: number },
): Sight | null {
  const hidden = all.flatMap(({ top, bottom }, index) => {
    // Half of them can be read and clicked.
    const middle = (top + bottom) / 2;
    return middle < from || middle > to ? [{ index, where: middle < from ? 'above' : 'below' } as const] : [];
  });
  const [first] = hidden;
  return first === undefined ? null : { count: hidden.length, ...first };
}
