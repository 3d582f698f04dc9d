/** Decides whether a page stays at its end while it grows (FC5), and which gates are out of sight. Pure. */

/** Scroll position of the page in pixels: its offset, its height, and the height of the view. */
export interface Place {
  top: number;
  height: number;
  view: number;
}

/** Distance from the end, in pixels, that counts as the end. */
const NEAR = 160;

/** True at the end, regardless of how the page got there. */
function isAtEnd({ top, height, view }: Place): boolean {
  return height - top - view < NEAR;
}

/**
 * Decides after a scroll event if the page still follows its end. Only a person scrolls up, which ends the following;
 * growth of the page does not. A page that shrinks moves up by itself.
 */
export function stillFollows(follows: boolean, before: Place, now: Place): boolean {
  if (isAtEnd(now)) return true;
  const shrunk = Math.max(0, before.height - now.height) + Math.max(0, now.view - before.view);
  return follows && before.top - now.top <= shrunk + 1;
}

/** Position of an open gate's buttons in the window. */
export interface Buttons {
  top: number;
  bottom: number;
}

export interface Sight {
  /** Number of gates whose buttons are out of sight. */
  count: number;
  /** Direction of the first of them. */
  where: 'above' | 'below';
  index: number;
}

/** Returns null if the buttons of every gate are visible. `from`, `to`: the uncovered part of the window. */
export function outOfSight(
  all: readonly Buttons[],
  { from, to }: { from: number; to: number },
): Sight | null {
  const hidden = all.flatMap(({ top, bottom }, index) => {
    // If half of the buttons is visible, they can be read and clicked.
    const middle = (top + bottom) / 2;
    return middle < from || middle > to ? [{ index, where: middle < from ? 'above' : 'below' } as const] : [];
  });
  const [first] = hidden;
  return first === undefined ? null : { count: hidden.length, ...first };
}
