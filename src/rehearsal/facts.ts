/** Counts and places, from the texts of files. Pure: what the answer states is computed here. */
import type { FileSeen } from './evidence.js';
import { languageOf } from './file-kinds.js';

/** Lines of a text; a last line without a line end counts too. */
export function countLines(text: string): number {
  if (text === '') return 0;
  const ends = text.split('\n').length - 1;
  return text.endsWith('\n') ? ends : ends + 1;
}

export interface LanguageCount {
  language: string;
  files: number;
  lines: number;
}

/** Lines by language, most lines first. Files that were not read whole are not in it. */
export function linesByLanguage(files: readonly FileSeen[]): LanguageCount[] {
  const rows = new Map<string, LanguageCount>();
  for (const { path, text, whole } of files) {
    if (text === null || !whole) continue;
    const language = languageOf(path);
    const row = rows.get(language) ?? { language, files: 0, lines: 0 };
    row.files += 1;
    row.lines += countLines(text);
    rows.set(language, row);
  }
  return [...rows.values()].sort((a, b) => b.lines - a.lines || b.files - a.files);
}

export interface Place {
  path: string;
  /** From 1. */
  line: number;
  text: string;
  /** What was found in the line, in order. */
  found: string[];
}

/** Lines that match, in the order of files; `pattern` must be global. */
export function findPlaces(files: readonly FileSeen[], pattern: RegExp): Place[] {
  return files.flatMap(({ path, text }) =>
    (text ?? '').split('\n').flatMap((line, index): Place[] => {
      const found = line.match(pattern);
      return found ? [{ path, line: index + 1, text: line.trim(), found: [...found] }] : [];
    }),
  );
}

export const MARKERS = /\b(?:TODO|FIXME|XXX)\b|待办/g;

/** A pattern for a searched word: as a whole word where it is one, in the case given unless `anyCase`. */
export function wordPattern(word: string, anyCase: boolean): RegExp {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const before = /^\w/.test(word) ? '(?<!\\w)' : '';
  const after = /\w$/.test(word) ? '(?!\\w)' : '';
  return new RegExp(`${before}${escaped}${after}`, anyCase ? 'gi' : 'g');
}

/** Lines that share most words with a question, best first. */
export function relatedLines(files: readonly FileSeen[], words: readonly string[], most: number): Place[] {
  const stems = words.map(word => word.toLowerCase().replace(/(?<=\w{3})s$/, ''));
  const scored = files.flatMap(({ path, text }) =>
    (text ?? '').split('\n').flatMap((line, index) => {
      const lower = line.toLowerCase();
      const found = stems.filter(stem => lower.includes(stem));
      return found.length === 0 ? [] : [{ path, line: index + 1, text: line.trim(), found }];
    }),
  );
  const best = Math.max(0, ...scored.map(place => place.found.length));
  return scored.filter(place => place.found.length === best).slice(0, most);
}

export function totalOf(rows: readonly LanguageCount[]): { files: number; lines: number } {
  return rows.reduce((sum, row) => ({ files: sum.files + row.files, lines: sum.lines + row.lines }), {
    files: 0,
    lines: 0,
  });
}
