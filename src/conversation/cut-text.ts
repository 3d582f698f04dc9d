/** A text that was cut at the output limit and continues in the next reply. */

import type { Words } from '../base/words/words.js';

/** A longer word is taken for a script without spaces, or for code. */
const MOST_WORD_CHARS = 40;
const SHOWN_CHARS = 80;
/** Fewer characters may repeat by chance. */
const LEAST_REPEATED_CHARS = 12;

/** Returns the text without the word that was cut: the continuation repeats that word. */
export function upToWord(text: string): string {
  const word = /\S*$/.exec(text.slice(-MOST_WORD_CHARS - 1))?.[0] ?? '';
  return word.length > MOST_WORD_CHARS ? text : text.slice(0, text.length - word.length);
}

/** Returns the last words of the text's last line, after which it continues. */
export function lastWords(text: string): string {
  const line =
    text
      .trimEnd()
      .slice(-4 * SHOWN_CHARS)
      .split('\n')
      .at(-1) ?? '';
  return [...line].slice(-SHOWN_CHARS).join('').trim();
}

/** Joins both parts; `first` is the result of `upToWord`. Words that the second part repeats are kept once. */
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
