/** What a run has learnt of refusals, by model: the next worker, and what follows continue-as-new, begin with it. */
import { jsonBytes, ownValue } from '../text/json.js';

/** Ids of lessons (`models/refusals/lesson.ts`), by model of the chains. */
export type RunLessons = Readonly<Record<string, readonly string[]>>;

export const LESSONS_BYTES = 2_300;

export function lessonsOf(lessons: RunLessons | undefined, model: string): readonly string[] {
  return ownValue(lessons ?? {}, model) ?? [];
}

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
