/** What the run itself says, from `prompts/words`: English and Chinese are in the bundle, a run pins what differs. */

import { ownValue } from '../json/json.js';
import { EN, ZH } from './built-in-words.js';
import { renderTemplate } from './prompt.js';

export type WordKey = keyof typeof EN;

type VariablesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | VariablesIn<Rest>
  : never;

declare const VARIABLES: unique symbol;
/** A text with its variables, which `fill` wants values for. */
type Fillable<Names extends string> = string & { readonly [VARIABLES]?: Names };

/** Every text by its key. English says which variables a text has. */
export type Words = { readonly [Key in WordKey]: Fillable<VariablesIn<(typeof EN)[Key]>> };

/** What a run says otherwise than the built-in words. */
export type OwnWords = Readonly<Partial<Record<WordKey, string>>>;

/** By language of the prompts; any other reads English. */
export const BUILT_IN_WORDS: Readonly<Record<'en' | 'zh', Words>> = { en: EN as Words, zh: ZH as Words };

export function builtInWords(language: string): Words {
  const words: Readonly<Record<string, Words>> = BUILT_IN_WORDS;
  return ownValue(words, language) ?? BUILT_IN_WORDS.en;
}

export interface RunWords {
  language: string;
  words?: OwnWords;
}

/** The words of a run: its own before those of its language. */
export function wordsOf({ pinned }: { pinned: RunWords | null }): Words {
  if (pinned === null) return BUILT_IN_WORDS.en;
  const words = builtInWords(pinned.language);
  return pinned.words === undefined ? words : { ...words, ...pinned.words };
}

/** What notes on tool calls are made of where a worker makes them: absent for the built-in English. */
export function wordsForNotes({ language, words = {} }: RunWords): RunWords | undefined {
  const notes = Object.entries(words).filter(([key]) => key.startsWith('note'));
  if (notes.length > 0) return { language, words: Object.fromEntries(notes) };
  return builtInWords(language) === BUILT_IN_WORDS.en ? undefined : { language };
}

/** Fills the variables of a text in one pass: what is filled in is not searched again, other braces are text. */
export function fill<Names extends string>(
  text: Fillable<Names>,
  values: Readonly<Record<Names, string | number>>,
): string {
  const entries = Object.entries<string | number>(values).map(([name, value]) => [name, String(value)]);
  const texts: Record<string, string> = Object.fromEntries(entries);
  return renderTemplate(text, texts, { file: 'prompts/words', singleBrace: Object.keys(texts) });
}

/** Finds a text whose variables are filled: each is a named group, and one at its end takes the rest of the line. */
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

/** Said beside what is shown in part, so that nobody takes the cut for a fault of it; nothing where it is whole. */
export function cutNote(words: Words, whole: string, shown: string): string[] {
  return whole === shown ? [] : [fill(words.isCut, { whole: whole.length, shown: shown.length })];
}
