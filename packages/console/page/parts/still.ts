/**
 * Buttons that appeared or moved under the pointer ignore clicks for half a second, so that a person clicks only what
 * they have seen.
 */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

const DEAD_MS = 500;
const LOOK_MS = 100;

export class Place {
  readonly #element: () => HTMLElement | null;
  #top = Number.NaN;
  #seenAt = Number.NaN;
  #movedAt = performance.now();

  constructor(element: () => HTMLElement | null) {
    this.#element = element;
  }

  look(): void {
    const element = this.#element();
    const [top, seenAt] = [topOf(element), Math.round(element?.getBoundingClientRect().top ?? 0)];
    // Scrolling does not count as a move, nor does growth above that the page's scroll position compensates.
    const isMoved = top !== this.#top && seenAt !== this.#seenAt;
    [this.#top, this.#seenAt] = [top, seenAt];
    if (isMoved) this.#movedAt = performance.now();
  }

  isStill(): boolean {
    this.look();
    return performance.now() - this.#movedAt >= DEAD_MS;
  }
}

/** Returns the offset in the page, independent of scrolling. */
function topOf(element: HTMLElement | null): number {
  let top = 0;
  for (let at = element; at; at = at.offsetParent as HTMLElement | null) top += at.offsetTop;
  return top;
}

const places = new Set<Place>();
setInterval(() => {
  for (const place of places) place.look();
}, LOOK_MS);

/** Use `ref` for the element with the buttons, and `guard` as its `onClickCapture`. */
export function useStill(): { ref: RefObject<HTMLDivElement>; guard: (event: Event) => void } {
  const ref = useRef<HTMLDivElement>(null);
  const place = useMemo(() => new Place(() => ref.current), []);
  useEffect(() => {
    place.look();
    places.add(place);
    return () => void places.delete(place);
  }, []);
  const guard = (event: Event) => {
    if (!(event.target instanceof Element) || event.target.closest('button') === null) return;
    if (place.isStill()) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { ref, guard };
}
