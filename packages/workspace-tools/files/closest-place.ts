/** Finds the place in a file that is most similar to a text that is not in it. Pure. */

const MOST_LINES = 50_000;
const MOST_SHOWN = 12;
const MAX_LINE_CHARS = 200;
/** Limit for compared characters or lines, about 0.2 s: the event loop is blocked meanwhile. */
const MOST_WORK = 2_000_000;

/** Returns a sentence, and the lines as they are in the file. */
export function closestPlace(text: string, wanted: string): string {
  const lines = text.split('\n');
  const asked = wanted.replace(/^\n+|(?<!\n)\n+$/g, '').split('\n');
  const keys = asked.map(keyOf);
  const place = lines.length > MOST_LINES ? null : bestPlace(lines.map(keyOf), keys);
  if (place === null) return 'Nothing in it is like it: read the file again.';
  const shown = lines.slice(place.at, place.at + asked.length).slice(0, MOST_SHOWN);
  const first = place.at + 1;
  const body = shown.map((line, index) => `${first + index}: ${line.slice(0, MAX_LINE_CHARS)}`).join('\n');
  const how = place.isSame ? 'It differs only in white space from' : 'The closest is';
  const more = asked.length > MOST_SHOWN ? '\n…' : '';
  return `${how} line ${first}${asked.length > 1 ? ` to ${Math.min(lines.length, place.at + asked.length)}` : ''}:\n${body}${more}`;
}

/** Normalizes a line: white space and curly quotes are the most frequent errors of people and models. */
function keyOf(line: string): string {
  return line
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, '');
}

/** Returns the place with the most similar lines, within the limit of work; null if nothing is similar. */
function bestPlace(
  lines: readonly string[],
  asked: readonly string[],
): { at: number; isSame: boolean } | null {
  const counted = new Map<string, number>();
  for (const line of lines) counted.set(line, (counted.get(line) ?? 0) + 1);
  let best = { at: 0, score: 0, isSame: false };
  // Lines that exist in the file are anchors for the search; the rarest is used.
  const anchors = asked.flatMap((line, index) => (line !== '' && counted.has(line) ? [{ line, index }] : []));
  const rarest = anchors.sort((a, b) => (counted.get(a.line) ?? 0) - (counted.get(b.line) ?? 0))[0];
  let work = 0;
  for (const [number, line] of lines.entries()) {
    if (rarest && line !== rarest.line) continue;
    work += rarest ? asked.length : line.length + (asked[0] ?? '').length;
    if (work > MOST_WORK) break;
    const at = Math.max(0, number - (rarest?.index ?? 0));
    const same = asked.filter((wanted, index) => lines[at + index] === wanted).length;
    const score = rarest ? same : likeness(line, asked[0] ?? '');
    if (score > best.score) best = { at, score, isSame: same === asked.length };
  }
  return best.score >= (rarest ? 1 : LEAST_LIKENESS) ? best : null;
}

const LEAST_LIKENESS = 0.4;

/** Returns the share of character pairs that two lines have in common, from 0 to 1. */
export function likeness(a: string, b: string): number {
  if (a.length < 2 || b.length < 2 || a.length > 1_000 || b.length > 1_000) return 0;
  const pairs = new Map<string, number>();
  for (let at = 0; at < a.length - 1; at += 1) {
    const pair = a.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at < b.length - 1; at += 1) {
    const left = pairs.get(b.slice(at, at + 2)) ?? 0;
    if (left > 0) common += 1;
    if (left > 0) pairs.set(b.slice(at, at + 2), left - 1);
  }
  return (2 * common) / (a.length + b.length - 2);
}
