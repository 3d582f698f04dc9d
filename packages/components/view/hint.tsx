/** Draws a hint in place of content that can't be drawn, with its data on demand. */
import { errorText, visibleText } from 'steersman/base';
import { pretty } from '../text/plain.js';
import { useHere } from './here.js';

export function Hint({ text, data }: { text: string; data?: unknown }) {
  const { kit } = useHere();
  const json = jsonOf(data);
  return (
    <div class="component-hint">
      <p class="fault">{visibleText(text)}</p>
      {json !== undefined && (
        <details class="data">
          <summary>{kit.say('asData')}</summary>
          <pre>{pretty(json)}</pre>
        </details>
      )}
    </div>
  );
}

/** Returns undefined if the page's data has no JSON. */
function jsonOf(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}

/** Returns the thrown value as a text. Code may throw anything, even an object whose conversion to text fails. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return errorText(thrown);
  }
}
