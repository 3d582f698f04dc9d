/** The run's own texts, from `prompts/words`: English and Chinese are in the bundle, and a run pins its deviations. */

import { ownValue } from '../json/json.js';
import { EN, ZH } from './built-in-words.js';
import { renderTemplate } from './prompt.js';

export type WordKey = keyof typeof EN;

type VariablesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | VariablesIn<Rest>
  : never;

declare const VARIABLES: unique symbol;
/** A text with its variables, for which `fill` requires values. */
type Fillable<Names extends string> = string & { readonly [VARIABLES]?: Names };

/** All texts by key. The English texts define the variables. */
export type Words = { readonly [Key in WordKey]: Fillable<VariablesIn<(typeof EN)[Key]>> };

/** A run's deviations from the built-in words. */
export type OwnWords = Readonly<Partial<Record<WordKey, string>>>;

/** The words by language of the prompts; other languages use English. */
export const BUILT_IN_WORDS: Readonly<Record<'en' | 'zh', Words>> = { en: EN as Words, zh: ZH as Words };

export function builtInWords(language: string): Words {
  const words: Readonly<Record<string, Words>> = BUILT_IN_WORDS;
  return ownValue(words, language) ?? BUILT_IN_WORDS.en;
}

export interface RunWords {
  language: string;
  words?: OwnWords;
}

/** Returns the words of a run: its own take precedence over those of its language. */
export function wordsOf({ pinned }: { pinned: RunWords | null }): Words {
  if (pinned === null) return BUILT_IN_WORDS.en;
  const words = builtInWords(pinned.language);
  return pinned.words === undefined ? words : { ...words, ...pinned.words };
}

/** Returns the words that a worker needs for notes on tool calls; undefined for the built-in English. */
export function wordsForNotes({ language, words = {} }: RunWords): RunWords | undefined {
  const notes = Object.entries(words).filter(([key]) => key.startsWith('note'));
  if (notes.length > 0) return { language, words: Object.fromEntries(notes) };
  return builtInWords(language) === BUILT_IN_WORDS.en ? undefined : { language };
}

/** Fills the variables of a text in one pass; inserted values are not searched again, and other braces are text. */
export function fill<Names extends string>(
  text: Fillable<Names>,
  values: Readonly<Record<Names, string | number>>,
): string {
  const entries = Object.entries<string | number>(values).map(([name, value]) => [name, String(value)]);
  const texts: Record<string, string> = Object.fromEntries(entries);
  return renderTemplate(text, texts, { file: 'prompts/words', singleBrace: Object.keys(texts) });
}

/** Returns a pattern that finds a text with filled variables, as named groups; one at the end takes the rest of the line. */
export function filled(text: string): string {
  const source = text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const seen = new Set<string>();
  const slots = source.replace(/\{(\w+)\}/g, (_slot, name: string) => {
    const again = seen.has(name);
    seen.add(name);
    return again ? `\\k<${name}>` : `(?<${name}>.+?)`;
  });
  return `${slots}${text.endsWith('}') ? '$' : ''}`;
}

/** Returns a note for text that is shown in part, so that the cut is not taken for a fault; empty if the text is whole. */
export function cutNote(words: Words, whole: string, shown: string): string[] {
  return whole === shown ? [] : [fill(words.isCut, { whole: whole.length, shown: shown.length })];
}
