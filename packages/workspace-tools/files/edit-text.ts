/** Applies edits to a text: all of them or no edit. Pure; a large text is edited in a thread. */
import { closestPlace } from './closest-place.js';
import { BoundedLines, numbered } from './text.js';

const MOST_SHOWN_LINES = 120;
/** All places are stored until every edit has been matched. */
const MOST_REPLACEMENTS = 100_000;
/** Limit for a file that grows; a file to be edited has the same limit. */
const MOST_CHARS = 16 << 20;
const MAX_SHOWN_BYTES = 6_000;
/** Number of unchanged lines shown around a change. */
const AROUND = 1;

export interface Edit {
  oldText: string;
  newText: string;
  all: boolean;
}

/** A part of the file, by positions in its text, and its replacement. */
interface Replacement {
  start: number;
  end: number;
  newText: string;
}

export interface Edited {
  text: string;
  replacements: number;
  /** The changed lines, with those around them. */
  shown: string[];
}

/** @throws Error for the model, if an edit can't be applied. */
export function editText(source: string, edits: readonly Edit[]): Edited {
  const { text, replacements } = applyEdits(source, edits);
  return { text, replacements: replacements.length, shown: changedLines(text, replacements) };
}

/**
 * Applies every edit. Line endings of edits need not match: new text gets the file's own.
 * @throws Error if an edit has no place, or several, or two edits overlap: then nothing is changed.
 */
function applyEdits(source: string, edits: readonly Edit[]): { text: string; replacements: Replacement[] } {
  const file = normalised(source);
  const found = edits.flatMap((edit, index) =>
    placesOf(file.text, edit, edits.length > 1 ? `edits[${index}]: ` : ''),
  );
  const replacements = found.sort((a, b) => a.start - b.start);
  const overlapping = replacements.find(
    (part, at) => at > 0 && part.start < (replacements[at - 1]?.end ?? 0),
  );
  if (overlapping)
    throw new Error(
      `Nothing was changed. Two edits overlap at line ${lineCounter(file.text)(overlapping.start)}: make one of them.`,
    );
  const grown = replacements.reduce(
    (sum, { start, end, newText }) => sum + newText.length - (end - start),
    0,
  );
  if (file.text.length + grown > MOST_CHARS && grown > 0)
    throw new Error(`Nothing was changed. The file would have more than ${MOST_CHARS} characters.`);
  let text = '';
  let at = 0;
  const done: Replacement[] = [];
  for (const { start, end, newText } of replacements) {
    text += source.slice(at, file.positionOf(start));
    const put = file.newline === '\n' ? newText : newText.replaceAll('\n', file.newline);
    done.push({ start: text.length, end: text.length + put.length, newText: put });
    text += put;
    at = file.positionOf(end);
  }
  return { text: text + source.slice(at), replacements: done };
}

/** Returns the text with plain newlines, and a function that maps its positions to the source. */
function normalised(source: string) {
  const text = source.replaceAll('\r\n', '\n');
  const removed: number[] = [];
  for (let at = source.indexOf('\r\n'); at >= 0; at = source.indexOf('\r\n', at + 2)) {
    removed.push(at - removed.length);
  }
  const plain = text.split('\n').length - 1 - removed.length;
  return {
    text,
    newline: removed.length > plain ? '\r\n' : '\n',
    /** Adds the number of carriage returns that were removed before the position. */
    positionOf: (position: number) => position + countBelow(removed, position),
  };
}

/** Counts the numbers below a limit in a rising list. */
function countBelow(rising: readonly number[], limit: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placesOf(text: string, edit: Edit, which: string): Replacement[] {
  const oldText = edit.oldText.replaceAll('\r\n', '\n');
  const newText = edit.newText.replaceAll('\r\n', '\n');
  const fail = (why: string) => new Error(`Nothing was changed. ${which}${why}`);
  if (oldText === '') throw fail('oldText is empty: use write for a new file.');
  if (oldText === newText) throw fail('oldText and newText are the same.');
  const places: Replacement[] = [];
  const lineAt = lineCounter(text);
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + oldText.length)) {
    places.push({ start: at, end: at + oldText.length, newText });
    if (places.length > MOST_REPLACEMENTS)
      throw fail(`oldText is in the file more than ${MOST_REPLACEMENTS} times: give a longer one.`);
  }
  if (places.length === 0) throw fail(`oldText is not in the file. ${closestPlace(text, oldText)}`);
  if (places.length > 1 && !edit.all) {
    const lines = places.slice(0, 10).map(({ start }) => lineAt(start));
    throw fail(
      `oldText is in the file ${places.length} times, at lines ${lines.join(', ')}${places.length > 10 ? ', …' : ''}: give more of the text around the place that you mean, or all: true.`,
    );
  }
  return places;
}

/** Returns a function from positions to line numbers. Rising positions need only one pass over the text in total. */
export function lineCounter(text: Pick<string, 'indexOf'>): (position: number) => number {
  let [line, last, next] = [1, -1, text.indexOf('\n')];
  return position => {
    if (position <= last) [line, last, next] = [1, -1, text.indexOf('\n')];
    for (; next >= 0 && next < position; next = text.indexOf('\n', next + 1)) {
      line += 1;
      last = next;
    }
    return line;
  };
}

/** Returns the changed lines by their numbers, with a line above and below each part. */
function changedLines(text: string, replacements: readonly Replacement[]): string[] {
  const lines = text.split(/\r?\n/);
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const out = new BoundedLines(MOST_SHOWN_LINES, MAX_SHOWN_BYTES);
  const lineAt = lineCounter(text);
  let shownTo = 0;
  for (const { start, end } of replacements) {
    const from = Math.max(shownTo + 1, lineAt(start) - AROUND);
    const to = Math.min(last, lineAt(Math.max(start, end - 1)) + AROUND);
    if (to < from) continue;
    if (shownTo > 0 && from > shownTo + 1) out.add('…');
    const isWhole = numbered(lines.slice(from - 1, to), from).every(line => out.add(line));
    if (!isWhole) return [...out.lines, `[Not all is shown. The file has ${last} lines.]`];
    shownTo = to;
  }
  return out.lines;
}
