/** Ends of a task as its test has them: what a checker must accept, and what it must not. */
import type { End, Files } from './check.js';

export interface Sketch {
  answer?: string;
  /** What became of files: a text, a change of the text before, or null for one that is gone. */
  files?: Made;
}

export type Made = Readonly<Record<string, string | null | ((before: string) => string)>>;

export interface Ends {
  right: readonly Sketch[];
  /** By a part of the fault that must be among those found. */
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
