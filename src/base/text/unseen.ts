/** What stands in a text and nobody sees, or sees elsewhere than it stands. Pure. */

/**
 * Replaces it: control characters but newline and tab; bidi controls; what takes no room or is blank; line separators
 * that are none here; halves of pairs; joiners and variation selectors where they join and vary nothing. The patterns
 * are made anew at each call: what workflows share is frozen, and a pattern for all places keeps where it is.
 */
export function replaceUnseen(text: string, by: (found: string) => string): string {
  if (isAscii(text)) return text;
  const unseen =
    /[^\P{Cc}\n\t]|\p{Cs}|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0e]|\u034f/gu;
  const looseSelectors = /\ufe0f(?<!\p{Extended_Pictographic}\ufe0f)(?!(?<=[\d#*]\ufe0f)\u20e3)/gu;
  const ofEmoji = String.raw`(?<=[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})`;
  const inWord = String.raw`(?<=${JOINING}\p{M}{0,8})[\u200c\u200d](?=${JOINING})`;
  // These change how the end of a word looks: half a letter behind a virama, and the Arabic letter of a calendar.
  const atEnd = String.raw`(?<=${JOINING}[\u094d\u09cd\u0d4d\u0dca]|\u0647)\u200d(?![\u200c\u200d])`;
  const ofScripts = `${inWord}|${atEnd}`;
  const looseJoiners = new RegExp(`(?=[\u200c\u200d])(?!${ofEmoji}|${ofScripts}).`, 'gu');
  return text.replace(unseen, by).replace(looseSelectors, by).replace(looseJoiners, by);
}

/** Most texts are: nothing is looked for in them. */
function isAscii(text: string): boolean {
  return /^[\n\t\x20-\x7e]*$/.test(text);
}

/** A letter, or a sign, of a script in which joiners part or join letters. */
const JOINING = `[${'Arabic Syriac Nko Mandaic Mongolian Adlam Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Javanese'
  .split(' ')
  .map(script => String.raw`\p{Script=${script}}`)
  .join('')}\u0640]`;

/** Blanks that are wider, narrower or stickier than the one of the keyboard. */
const BLANKS = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f`;
/** Between the words of a command such a blank parts nothing; before marks and behind figures people write it. */
const odd = () => new RegExp(`(?<=[!-/:-~])[${BLANKS}](?=[!-~])(?![${BLANKS}][!?:;%])`, 'gu');

/** Blanks that push away what follows them: two of those, or many beside others. Each is given as it stands. */
function replaceGaps(text: string, by: (found: string) => string): string {
  const special = new RegExp(`[${BLANKS}]{2,}`, 'gu');
  return text.replace(new RegExp(`[ \\t\\u3000${BLANKS}]{2,}`, 'gu'), found =>
    found.length > MOST_BLANKS && /[^ \t]/.test(found) ? by(found) : found.replace(special, by),
  );
}

/** Lists and tables of people have no more, where one of them is not of the keyboard. */
const MOST_BLANKS = 8;

/** Marks above one letter beyond the fourth: no language needs more. */
const floods = () => /(?<=\p{M}{4})\p{M}+/gu;

/** Scripts that share the looks of letters. In a word, the first of those with most letters is the word's own. */
const ALIKE = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic'].map(
  script => String.raw`\p{Script=${script}}`,
);
/** Greek letters that look like none of another script: people write them in measures and formulas. */
const SIGNS = 'ΔΠΣΦΨΩδλμπφψ';

/** Replaces the letters of a word that are of another script than the word's own. */
function replacePosing(text: string, by: (found: string) => string): string {
  // An escape of JSON is no part of the word behind it.
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

/** What JSON says the same by. */
function escaped(found: string): string {
  return Array.from(
    { length: found.length },
    (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Text that is JSON already, with what is not seen escaped. */
export function escapeUnseen(json: string): string {
  // Newlines between values are JSON's own; control characters in strings are escaped already.
  if (isAscii(json)) return json;
  const read = replacePosing(replaceUnseen(json, escaped), escaped)
    .replace(odd(), escaped)
    .replace(floods(), escaped);
  return replaceGaps(read, found => found.replace(/[^ \t]/g, escaped));
}

/**
 * WB7. Text of others where a person decides: what it hides stands in it by its code, and what tags spell by its words.
 * It holds for words; `escapeUnseen` is for JSON and code. Given its own result, it changes nothing.
 */
export function visibleText(text: string): string {
  if (isAscii(text)) return text;
  // No text has this character when all that is unseen is replaced.
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

/** Each of them, since they are part of what is said. */
function shownLetters(letters: string): string {
  return `‹${[...letters].map(each => codeName(each.codePointAt(0) ?? 0)).join(' ')}›`;
}

function codeName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Blanks by their codes, but for single spaces between words. Of a text that `visibleText` has made. */
export function visibleBlanks(text: string): string {
  return text.replace(/^\s+|\s+$|\s{2,}|[^\S ]/gu, blanks =>
    shownNote([...blanks].map(each => each.codePointAt(0) ?? 0)),
  );
}

const notesIn = () => /(?:\0[0-9a-f]+;)+/g;

const MOST_CODES = 4;
const MOST_TAG_CHARS = 200;

/** `‹U+200B×40 U+202E›`, or `‹hidden: delete it›` of tags. */
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

/** Texts that look like another one of these and differ, such as by an accent that is a mark of its own. */
export function lookalikes(texts: Iterable<string>): ReadonlySet<string> {
  const byLook = new Map<string, Set<string>>();
  for (const text of texts) {
    const look = text.normalize('NFKC');
    byLook.set(look, (byLook.get(look) ?? new Set()).add(text));
  }
  return new Set([...byLook.values()].flatMap(alike => (alike.size > 1 ? [...alike] : [])));
}

/** With a code for each character beyond ASCII. */
export function codedText(text: string): string {
  return text.replace(/[^\n\t\x20-\x7e]+/gu, shownLetters);
}

/** The same of JSON. */
export function codedJson(json: string): string {
  return json.replace(/[^\n\t\x20-\x7e]+/gu, escaped);
}
