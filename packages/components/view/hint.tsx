/** A hint in the place of what can't be drawn, with its data on demand. */
import { useHere } from '../here.js';
import { pretty } from '../text/plain.js';

export function Hint({ text, data }: { text: string; data?: unknown }) {
  const { kit } = useHere();
  return (
    <div class="component-hint">
      <p class="fault">{text}</p>
      {data !== undefined && (
        <details class="data">
          <summary>{kit.say('asData')}</summary>
          <pre>{pretty(JSON.stringify(data))}</pre>
        </details>
      )}
    </div>
  );
}
