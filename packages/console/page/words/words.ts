/** The words of the page, in the language of the browser or the one that was chosen. */
import { signal } from '@preact/signals';
import { phaseName } from '@steersman/view';
import type { Words } from './en.js';

export type Word = keyof Words;
export type Language = 'en' | 'zh';

const KEY = 'steersman-language';
const LOAD: Record<Language, () => Promise<Words>> = {
  en: () => import('./en.js').then(({ EN }) => EN),
  zh: () => import('./zh.js').then(({ ZH }) => ZH),
};
let words: Words;

export const language = signal<Language>('en');

/** In the language of the browser, or the one that was chosen before. */
export function speakFirst(): Promise<void> {
  return use(firstLanguage());
}

function firstLanguage(): Language {
  const kept = localStorage.getItem(KEY);
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export async function speak(wanted: Language): Promise<void> {
  await use(wanted);
  localStorage.setItem(KEY, wanted);
}

/** The words of one language are loaded: where that fails, the page stays with those that it has. */
async function use(wanted: Language): Promise<void> {
  words = await LOAD[wanted]();
  language.value = wanted;
  // Screen readers and hyphenation go by it.
  document.documentElement.lang = wanted === 'zh' ? 'zh-CN' : 'en';
}

/** Whatever draws a word is drawn again in another language. */
export function t(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  void language.value;
  return words[word].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** A name of the run's, such as a phase or an outcome, in words; as it is where the page has none for it. */
export function named(
  prefix:
    | 'phase'
    | 'outcome'
    | 'cause'
    | 'status'
    | 'budget'
    | 'gate'
    | 'note'
    | 'next'
    | 'ending'
    | 'decision'
    | 'purpose'
    | 'fault',
  name: string,
): string {
  const tongue = language.value;
  if (prefix === 'phase') return phaseName(name, tongue);
  const all: Partial<Record<string, string>> = words;
  return all[`${prefix}_${name}`] ?? name.replaceAll('_', ' ');
}
