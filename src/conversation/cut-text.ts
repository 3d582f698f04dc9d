/** A text that was cut at the output limit and goes on in the next reply. */

import type { Words } from '../base/words/words.js';

/** A word longer than this is taken for a script without spaces, or for code. */
const MOST_WORD_CHARS = 40;
const SHOWN_CHARS = 80;
/** Fewer characters may begin a sentence by chance. */
const LEAST_REPEATED_CHARS = 12;

/** The text without the word in which it was cut: what comes next begins anew at it. */
export function upToWord(text: string): string {
  const word = /\S*$/.exec(text.slice(-MOST_WORD_CHARS - 1))?.[0] ?? '';
  return word.length > MOST_WORD_CHARS ? text : text.slice(0, text.length - word.length);
}

/** The words after which it goes on: of its last line. */
export function lastWords(text: string): string {
  const line =
    text
      .trimEnd()
      .slice(-4 * SHOWN_CHARS)
      .split('\n')
      .at(-1) ?? '';
  return [...line].slice(-SHOWN_CHARS).join('').trim();
}

/** Both parts as one text, `first` being what `upToWord` left of it; words that the second repeats are said once. */
export function joinCut(first: string, second: string): string {
  const words = lastWords(first);
  const begin = second.trimStart();
  const isRepeated = words.length >= LEAST_REPEATED_CHARS && begin.startsWith(words);
  const rest = isRepeated ? begin.slice(words.length) : second;
  return first + (/\S $/.test(first) ? rest.replace(/^ +/, '') : rest);
}

export function withCutNote(text: string, words: Words): string {
  return `${text.trimEnd()}\n\n${words.cutText}`;
}
