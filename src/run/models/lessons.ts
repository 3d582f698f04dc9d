/** What a run has learnt of refusals, by model: the next worker, and what follows continue-as-new, begin with it. */
import { jsonBytes, ownValue } from '../../base/json/json.js';

/** Ids of lessons (`models/provider/lesson.ts`), by model of the chains. */
export type RunLessons = Readonly<Record<string, readonly string[]>>;

export const LESSONS_BYTES = 2_300;

export function lessonsOf(lessons: RunLessons | undefined, model: string): readonly string[] {
  return ownValue(lessons ?? {}, model) ?? [];
}

/** Of a model that calls in the text of its replies: it was asked for the native form once, and is read from then on. */
export const WRITTEN_LESSON = 'written calls 1';

/** The lessons with one more; the same ones where there is no room: what a worker forgets, it learns again. */
export function withLesson(lessons: RunLessons | undefined, model: string, id: string): RunLessons {
  const known = lessonsOf(lessons, model);
  const next = { ...lessons, [model]: [...known.filter(other => aboutOf(other) !== aboutOf(id)), id] };
  return known.includes(id) || jsonBytes(next) > LESSONS_BYTES ? (lessons ?? {}) : next;
}

/** Without its level. */
function aboutOf(id: string): string {
  return id.slice(0, id.lastIndexOf(' '));
}
