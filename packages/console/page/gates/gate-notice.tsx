/** Says that an open gate is outside of the visible page, and scrolls to it. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { outOfSight, type Sight } from '../parts/following.js';
import { t } from '../words/words.js';

/** It is a part of the composer, which is always visible. */
export function GateNotice() {
  const sight = useSignal<Sight | null>(null);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const look = () => {
      const to = ref.current?.parentElement?.getBoundingClientRect().top ?? innerHeight;
      const from = document.querySelector('nav')?.getBoundingClientRect().bottom ?? 0;
      const seen = outOfSight(
        answersHere().map(each => each.getBoundingClientRect()),
        { from: Math.max(0, from), to: Math.min(to, innerHeight) },
      );
      if (JSON.stringify(seen) !== JSON.stringify(sight.peek())) sight.value = seen;
    };
    const timer = setInterval(look, LOOK_MS);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    look();
    return () => {
      clearInterval(timer);
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, []);
  const show = () => answersHere()[sight.value?.index ?? 0]?.scrollIntoView({ block: 'center' });
  return (
    <div ref={ref} class="gate-notice" role="status" hidden={sight.value === null}>
      {sight.value && (
        <>
          <span>
            {t(sight.value.where === 'above' ? 'gateAbove' : 'gateBelow', { count: sight.value.count })}
          </span>
          <button type="button" class="small" onClick={show}>
            {t('showGate')}
          </button>
        </>
      )}
    </div>
  );
}

/** Content that grows above a gate moves it without a scroll event. */
const LOOK_MS = 250;

/** Returns the buttons of open gates, oldest first. */
function answersHere(): Element[] {
  return [...document.querySelectorAll('[data-gate] .answers')];
}
