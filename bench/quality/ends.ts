/** Ends of a task for the test of its checker: ends that the checker must accept, and ends that it must refuse. */
import type { End, Files } from './check.js';

export interface Sketch {
  answer?: string;
  /** Files at the end: a text, a change of the earlier text, or null for a removed file. */
  files?: Made;
}

export type Made = Readonly<Record<string, string | null | ((before: string) => string)>>;

export interface Ends {
  right: readonly Sketch[];
  /** Wrong ends, by a part of the fault that the checker must find. */
  wrong: Readonly<Record<string, Sketch>>;
}

export function endOfSketch(before: Files, { answer = 'Done.', files = {} }: Sketch): End {
  const after = { ...before };
  for (const [path, made] of Object.entries(files)) {
    if (made === null) delete after[path];
    else after[path] = typeof made === 'string' ? made : made(before[path] ?? '');
  }
  return { answer, before, after };
}
