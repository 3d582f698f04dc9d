/** Finds characters that are invisible, or that appear at another place than where they are. */

/**
 * Replaces invisible characters: control characters except newline and tab; bidi controls; characters without width;
 * unusual line separators; lone surrogates; joiners and variation selectors without effect. The patterns are created at
 * each call, because objects shared by workflows are frozen, and a global pattern stores its position.
 */
export function replaceUnseen(text: string, by: (found: string) => string): string {
  if (isAscii(text)) return text;
  const unseen =
    /[^\P{Cc}\n\t]|\p{Cs}|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0e]|\u034f/gu;
  const looseSelectors = /\ufe0f(?<!\p{Extended_Pictographic}\ufe0f)(?!(?<=[\d#*]\ufe0f)\u20e3)/gu;
  const ofEmoji = String.raw`(?<=[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})`;
  const inWord = String.raw`(?<=${JOINING}\p{M}{0,8})[\u200c\u200d](?=${JOINING})`;
  // These joiners change how the end of a word looks: half a letter after a virama, and the Arabic letter of a
  // calendar.
  const atEnd = String.raw`(?<=${JOINING}[\u094d\u09cd\u0d4d\u0dca]|\u0647)\u200d(?![\u200c\u200d])`;
  const ofScripts = `${inWord}|${atEnd}`;
  const looseJoiners = new RegExp(`(?=[\u200c\u200d])(?!${ofEmoji}|${ofScripts}).`, 'gu');
  return text.replace(unseen, by).replace(looseSelectors, by).replace(looseJoiners, by);
}

/** Most texts are ASCII and need no search. */
function isAscii(text: string): boolean {
  return /^[\n\t\x20-\x7e]*$/.test(text);
}

/** A letter or sign of a script in which joiners separate or connect letters. */
const JOINING = `[${'Arabic Syriac Nko Mandaic Mongolian Adlam Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Javanese'
  .split(' ')
  .map(script => String.raw`\p{Script=${script}}`)
  .join('')}\u0640]`;

/** Blanks that differ from the keyboard's in width or line breaking. */
const BLANKS = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f`;
/**
 * Matches such blanks between the words of a command, where a shell does not split at them. Before punctuation and
 * after figures people write them on purpose.
 */
const odd = () => new RegExp(`(?<=[!-/:-~])[${BLANKS}](?=[!-~])(?![${BLANKS}][!?:;%])`, 'gu');

/** Replaces blanks that push later text out of view: two special ones, or many including one. `by` gets each found group. */
function replaceGaps(text: string, by: (found: string) => string): string {
  const special = new RegExp(`[${BLANKS}]{2,}`, 'gu');
  return text.replace(new RegExp(`[ \\t\\u3000${BLANKS}]{2,}`, 'gu'), found =>
    found.length > MOST_BLANKS && /[^ \t]/.test(found) ? by(found) : found.replace(special, by),
  );
}

/** People's lists and tables have at most this many blanks in a row, if some of them are special. */
const MOST_BLANKS = 8;

/** Matches marks above one letter beyond the fourth; no language needs more. */
const floods = () => /(?<=\p{M}{4})\p{M}+/gu;

/** Scripts whose letters look alike. A word's own script is the one with most of its letters; the first wins a tie. */
const ALIKE = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic'].map(
  script => String.raw`\p{Script=${script}}`,
);
/** Greek letters that resemble no other script; people write them in measures and formulas. */
const SIGNS = 'ΔΠΣΦΨΩδλμπφψ';

/** Replaces letters of a word that belong to another script than the word's own. */
function replacePosing(text: string, by: (found: string) => string): string {
  // A JSON escape is not part of the word after it.
  const words = new RegExp(String.raw`\\(?:u[\da-fA-F]{4}|[\\"/bfnrt])|[${ALIKE.join('')}\p{M}\p{N}]+`, 'gu');
  const scripts = ALIKE.map(script => new RegExp(`(?![${SIGNS}])${script}`, 'gu'));
  return text.replace(words, word => {
    if (isAscii(word)) return word;
    const counts = scripts.map(script => word.match(script)?.length ?? 0);
    const own = counts.indexOf(Math.max(...counts));
    const others = ALIKE.filter((_, at) => at !== own && counts[at] !== 0);
    return others.length === 0
      ? word
      : word.replace(new RegExp(`(?:(?![${SIGNS}])[${others.join('')}])+`, 'gu'), by);
  });
}

/** Returns JSON escapes for the found characters. */
function escaped(found: string): string {
  return Array.from(
    { length: found.length },
    (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Escapes invisible characters in text that is already JSON. */
export function escapeUnseen(json: string): string {
  // Newlines between values belong to JSON; control characters in strings are already escaped.
  if (isAscii(json)) return json;
  const read = replacePosing(replaceUnseen(json, escaped), escaped)
    .replace(odd(), escaped)
    .replace(floods(), escaped);
  return replaceGaps(read, found => found.replace(/[^ \t]/g, escaped));
}

/**
 * Escapes invisible characters in a difference. Carriage returns at line ends belong to the lines, and are left out if
 * all lines have them; else they are escaped, because a change of line ends alone would look like none.
 */
export function escapeDiff(diff: string): string {
  const lines = diff.split('\n');
  const lasts = [/^[ -]/, /^[ +]/].map(side => lines.findLastIndex(line => side.test(line)));
  // Without a head it compares the texts of an edit, which may both end within a line.
  const isOpen = !diff.startsWith('@@ -') && lasts.every(at => lines[at]?.endsWith('\r') !== true);
  // The other lines without an end: the last one of a file, and one that was cut.
  const isEnded = (at: number) => !(isOpen && lasts.includes(at)) && !/^(\\|…$)/.test(lines[at + 1] ?? '');
  const ended = lines.filter((line, at) => /^[ +-]/.test(line) && isEnded(at));
  const isAlike = ended.every(line => line.endsWith('\r'));
  return lines.map(line => escapeUnseen(isAlike ? line.replace(/\r$/, '') : line)).join('\n');
}

/**
 * WB7. Returns foreign text for a person who decides about it: hidden characters become their codes, and tag characters
 * become the words that they spell. It is for prose; `escapeUnseen` is for JSON and code. Applying it to its own result
 * changes nothing.
 */
export function visibleText(text: string): string {
  if (isAscii(text)) return text;
  // `\0` is free to mark notes, because all invisible characters are replaced.
  const noted = (found: string) =>
    [...found].map(each => `\0${(each.codePointAt(0) ?? 0).toString(16)};`).join('');
  const posed = replacePosing(replaceUnseen(text.replaceAll('\r\n', '\n'), noted), shownLetters);
  return replaceGaps(posed.replace(floods(), noted), noted).replace(notesIn(), notes =>
    shownNote(
      notes
        .slice(1, -1)
        .split(';\0')
        .map(code => Number.parseInt(code, 16)),
    ),
  );
}

/** Returns the code of each letter, since they are part of the text. */
function shownLetters(letters: string): string {
  return `‹${[...letters].map(each => codeName(each.codePointAt(0) ?? 0)).join(' ')}›`;
}

function codeName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Replaces blanks by their codes, except for single spaces between words. Expects a result of `visibleText`. */
export function visibleBlanks(text: string): string {
  return text.replace(/^\s+|\s+$|\s{2,}|[^\S ]/gu, blanks =>
    shownNote([...blanks].map(each => each.codePointAt(0) ?? 0)),
  );
}

const notesIn = () => /(?:\0[0-9a-f]+;)+/g;

const MOST_CODES = 4;
const MOST_TAG_CHARS = 200;

/** Returns `‹U+200B×40 U+202E›`, or `‹hidden: delete it›` for tag characters. */
function shownNote(codes: readonly number[]): string {
  const total = codes.length;
  if (total > 1 && codes.every(code => code >= 0xe0020 && code < 0xe007f)) {
    const words = String.fromCodePoint(...codes.slice(0, MOST_TAG_CHARS).map(code => code - 0xe0000)).trim();
    return `‹hidden: ${words}${total > MOST_TAG_CHARS ? `… ${total}` : ''}›`;
  }
  const runs: { code: number; times: number }[] = [];
  for (const code of codes) {
    const last = runs.at(-1);
    if (last?.code === code) last.times += 1;
    else runs.push({ code, times: 1 });
  }
  const shown = runs.slice(0, MOST_CODES).map(({ code, times }) => {
    const name = codeName(code);
    return times === 1 ? name : `${name}×${times}`;
  });
  return `‹${shown.join(' ')}${runs.length > MOST_CODES ? ` … ${total}` : ''}›`;
}

/** Returns the texts that look like another one of them but differ, for example by a combining accent. */
export function lookalikes(texts: Iterable<string>): ReadonlySet<string> {
  const byLook = new Map<string, Set<string>>();
  for (const text of texts) {
    const look = text.normalize('NFKC');
    byLook.set(look, (byLook.get(look) ?? new Set()).add(text));
  }
  return new Set([...byLook.values()].flatMap(alike => (alike.size > 1 ? [...alike] : [])));
}

/** Replaces characters other than printable ASCII by their codes. */
export function codedText(text: string): string {
  return text.replace(/[^\n\t\x20-\x7e]+/gu, shownLetters);
}

/** Replaces characters other than printable ASCII by their JSON escapes. */
export function codedJson(json: string): string {
  return json.replace(/[^\n\t\x20-\x7e]+/gu, escaped);
}
