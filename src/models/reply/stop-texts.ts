/** Ends a reply at stop sequences, for endpoints without that option: the Responses API, and models that refuse it. */
import type { ModelDelta } from '../provider/provider.js';

/** Yields the reply up to the first of `stops`. Text that could be the beginning of one is held back until that is clear. */
export async function* endedAt(
  deltas: AsyncIterable<ModelDelta>,
  stops: readonly string[],
): AsyncIterable<ModelDelta> {
  const given = stops.filter(stop => stop !== '');
  const longest = Math.max(0, ...given.map(stop => stop.length));
  let held = '';
  const tell = (text: string): ModelDelta[] => (text === '' ? [] : [{ type: 'text', text }]);
  for await (const delta of deltas) {
    if (delta.type !== 'text' || longest === 0) {
      if (held !== '' && delta.type !== 'usage') {
        yield* tell(held);
        held = '';
      }
      yield delta;
      continue;
    }
    held += delta.text;
    const at = firstOf(held, given);
    if (at >= 0) {
      yield* tell(held.slice(0, at));
      yield { type: 'end', stopReason: 'end_turn', servedModel: null };
      return;
    }
    const kept = mayBegin(held, given, longest);
    yield* tell(held.slice(0, held.length - kept));
    held = held.slice(held.length - kept);
  }
  yield* tell(held);
}

function firstOf(text: string, stops: readonly string[]): number {
  const places = stops.map(stop => text.indexOf(stop)).filter(at => at >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** Returns how many characters at the end could be the beginning of a stop sequence. */
function mayBegin(text: string, stops: readonly string[], longest: number): number {
  for (let kept = Math.min(text.length, longest - 1); kept > 0; kept -= 1) {
    const end = text.slice(text.length - kept);
    if (stops.some(stop => stop.startsWith(end))) return kept;
  }
  return 0;
}
