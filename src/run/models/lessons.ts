/** Lessons from endpoints' refusals, by model: the next worker starts with them, also after continue-as-new. */
import { jsonBytes, ownValue } from '../../base/json/json.js';

/** Ids of lessons (`models/provider/lesson.ts`) by model. */
export type RunLessons = Readonly<Record<string, readonly string[]>>;

export const LESSONS_BYTES = 2_300;

export function lessonsOf(lessons: RunLessons | undefined, model: string): readonly string[] {
  return ownValue(lessons ?? {}, model) ?? [];
}

/** The lesson of a model that writes its calls as text: it was asked once for native calls, and since then its text is read. */
export const WRITTEN_LESSON = 'written calls 1';

/** Adds a lesson; returns the old ones if there is no room, since a worker can learn a lesson again. */
export function withLesson(lessons: RunLessons | undefined, model: string, id: string): RunLessons {
  const known = lessonsOf(lessons, model);
  const next = { ...lessons, [model]: [...known.filter(other => aboutOf(other) !== aboutOf(id)), id] };
  return known.includes(id) || jsonBytes(next) > LESSONS_BYTES ? (lessons ?? {}) : next;
}

/** The lesson's id without its level. */
function aboutOf(id: string): string {
  return id.slice(0, id.lastIndexOf(' '));
}
