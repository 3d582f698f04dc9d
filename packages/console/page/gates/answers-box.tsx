/** The buttons of a gate, always in view: they ignore clicks while they move. */
import type { ComponentChildren } from 'preact';
import { EarlyClick, useStill } from '../parts/still.js';

export function AnswersBox({ children }: { children: ComponentChildren }) {
  const { ref, guard, isEarly } = useStill();
  return (
    <div class="answers" ref={ref} onClickCapture={guard}>
      {children}
      <EarlyClick of={isEarly} />
    </div>
  );
}
