/** Counts and places, from the texts of files. Pure: what the answer states is computed here. */
import type { FileSeen } from './evidence.js';
import { languageOf } from './file-kinds.js';

/** Lines of a text; a last line without a line end counts too. */
export function countLines(text: string): number {
  return text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
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
    rows.set(language, { language, files: row.files + 1, lines: row.lines + countLines(text) });
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

/** Places of a word: as a whole word where it is one, and in the case given where that occurs. */
export function findWord(files: readonly FileSeen[], word: string): Place[] {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const source = `${/^\w/.test(word) ? '(?<!\\w)' : ''}${escaped}${/\w$/.test(word) ? '(?!\\w)' : ''}`;
  const exact = findPlaces(files, new RegExp(source, 'g'));
  return exact.length > 0 ? exact : findPlaces(files, new RegExp(source, 'gi'));
}
