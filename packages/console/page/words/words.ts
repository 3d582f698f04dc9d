/** The page's texts, in the browser's language or the chosen one. */
import { signal } from '@preact/signals';
import { phaseName } from '@steersman/view';
import type { Words } from './en.js';

export type Word = keyof Words;
export type Language = 'en' | 'zh';

const KEY = 'steersman-language';
interface Loaded {
  words: Words;
  /** Says a text of a run, whose texts are English by default, in this language. */
  say?: typeof said;
}
const LOAD: Record<Language, () => Promise<Loaded>> = {
  en: () => import('./en.js'),
  zh: () => import('./zh.js'),
};
let loaded: Loaded;

export const language = signal<Language>('en');

/** Loads the texts in the browser's language, or the one chosen before. */
export function speakFirst(): Promise<void> {
  return use(firstLanguage());
}

function firstLanguage(): Language {
  const chosen = localStorage.getItem(KEY);
  if (chosen === 'en' || chosen === 'zh') return chosen;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export async function speak(wanted: Language): Promise<void> {
  await use(wanted);
  localStorage.setItem(KEY, wanted);
}

/** Loads the texts of a language; if that fails, the page keeps the current language. */
async function use(wanted: Language): Promise<void> {
  loaded = await LOAD[wanted]();
  language.value = wanted;
  // Screen readers and hyphenation use this attribute.
  document.documentElement.lang = wanted === 'zh' ? 'zh-CN' : 'en';
}

/** Reads the language signal, so that components draw again after a change. */
export function t(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  void language.value;
  return loaded.words[word].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/**
 * Says a text of a run in the page's language, if the run worded it; texts of others are returned unchanged. `of`: the
 * cause of a failure, which then precedes its message; or `role`: a role's text, to which the run added lines.
 */
export function said(text: string, of: string | null = null): string {
  void language.value;
  return loaded.say?.(text, of) ?? text;
}

/** Translates a name of the run, such as a phase or an outcome; without a translation it is returned unchanged. */
export function named(
  prefix:
    | 'phase'
    | 'outcome'
    | 'cause'
    | 'status'
    | 'budget'
    | 'check'
    | 'gate'
    | 'note'
    | 'next'
    | 'ending'
    | 'decision'
    | 'purpose'
    | 'failure'
    | 'fault'
    | 'kind',
  name: string,
): string {
  const tongue = language.value;
  if (prefix === 'phase') return phaseName(name, tongue);
  const all: Partial<Record<string, string>> = loaded.words;
  return all[`${prefix}_${name}`] ?? name.replaceAll('_', ' ');
}
