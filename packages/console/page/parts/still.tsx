/**
 * Buttons that appeared or moved under the pointer ignore clicks for half a second, so that a person clicks only what
 * they have seen.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { t } from '../words/words.js';

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

interface Still {
  /** For the element with the buttons. */
  ref: RefObject<HTMLDivElement>;
  /** Its `onClickCapture`. */
  guard: (event: Event) => void;
  /** True if the last click was ignored. */
  isEarly: ReadonlySignal<boolean>;
}

export function useStill(): Still {
  const isEarly = useSignal(false);
  const ref = useRef<HTMLDivElement>(null);
  const place = useMemo(() => new Place(() => ref.current), []);
  useEffect(() => {
    place.look();
    places.add(place);
    return () => void places.delete(place);
  }, []);
  const guard = (event: Event) => {
    if (!(event.target instanceof Element) || event.target.closest('button') === null) return;
    isEarly.value = !place.isStill();
    if (!isEarly.value) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { ref, guard, isEarly };
}

/** Says that a click was ignored; without it a person waits for the effect of a click that had none. */
export function EarlyClick({ of }: { of: ReadonlySignal<boolean> }) {
  if (!of.value) return null;
  return (
    <p class="muted early" role="status">
      {t('earlyClick')}
    </p>
  );
}
