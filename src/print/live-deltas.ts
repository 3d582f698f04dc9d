/** What the plain view prints of the live text of a model call: texts in, deltas out. Pure. */
import type { LiveChannel, TextDelta } from '../client/runs/live-text.js';

/** The texts of a call together, as long as nothing is missing between them. */
export function joined(before: TextDelta | null, delta: TextDelta): TextDelta {
  const fits =
    before !== null &&
    before.attempt === delta.attempt &&
    before.channel === delta.channel &&
    before.offset + before.text.length === delta.offset;
  return fits ? { ...before, text: before.text + delta.text } : delta;
}

export type LiveDelta =
  /** The call was started again: what was printed of it does not count. */
  | { type: 'reset'; attempt: number }
  /** This many characters were not seen. */
  | { type: 'gap'; chars: number }
  | { type: 'text'; channel: LiveChannel; text: string }
  /** The whole reply, since parts of it were not seen. */
  | { type: 'whole'; text: string };

/** What was printed of one call. */
export interface LiveProgress {
  attempt: number;
  /** Characters of each channel that were printed or marked as a gap. */
  shown: Partial<Record<LiveChannel, number>>;
  /** Text of the reply was not seen. */
  gap: boolean;
}

const NOTHING_SHOWN: Pick<LiveProgress, 'shown' | 'gap'> = { shown: {}, gap: false };

/** What one text adds. A text of an older attempt, or one seen before, adds none. */
export function followLive(
  progress: LiveProgress | null,
  live: TextDelta,
): { progress: LiveProgress; deltas: LiveDelta[] } {
  if (progress && live.attempt < progress.attempt) return { progress, deltas: [] };
  const isRetry = progress !== null && live.attempt > progress.attempt;
  const before = progress && !isRetry ? progress : { attempt: live.attempt, ...NOTHING_SHOWN };
  const withdrawn = isRetry && Object.keys(progress.shown).length > 0;
  const deltas: LiveDelta[] = withdrawn ? [{ type: 'reset', attempt: live.attempt }] : [];
  const shown = before.shown[live.channel] ?? 0;
  const missed = Math.max(0, live.offset - shown);
  const end = live.offset + live.text.length;
  if (end <= shown) return { progress: before, deltas };
  if (missed > 0) deltas.push({ type: 'gap', chars: missed });
  const text = missed > 0 ? live.text : live.text.slice(shown - live.offset);
  deltas.push({ type: 'text', channel: live.channel, text });
  const after: LiveProgress = {
    ...before,
    shown: { ...before.shown, [live.channel]: end },
    gap: before.gap || (missed > 0 && live.channel === 'text'),
  };
  return { progress: after, deltas };
}

/** Deltas that the final message adds: the rest of its text, or all of it where a gap was marked. */
export function completeLive(progress: LiveProgress | null, text: string): LiveDelta[] {
  if (progress?.gap) return [{ type: 'whole', text }];
  const rest = text.slice(progress?.shown.text ?? 0);
  return rest === '' ? [] : [{ type: 'text', channel: 'text', text: rest }];
}
