/** The words of the page, in the language of the browser or the one that was chosen. */
import { signal } from '@preact/signals';
import { EN, type Words } from './en.js';

export type Word = keyof Words;
export type Language = 'en' | 'zh';

const KEY = 'steersman-language';
const loaded: Record<Language, Words | null> = { en: EN, zh: null };

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

/** Words of another language are loaded when they are needed; where that fails, the page says it in English. */
async function use(wanted: Language): Promise<void> {
  if (wanted === 'zh')
    loaded.zh ??= await import('./zh.js').then(
      ({ ZH }) => ZH,
      () => null,
    );
  language.value = loaded[wanted] === null ? 'en' : wanted;
  // Screen readers and hyphenation go by it.
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
}

function words(): Words {
  return loaded[language.value] ?? EN;
}

/** Whatever draws a word is drawn again in another language. */
export function t(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  return words()[word].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** A name of the run's, such as a phase or an outcome, in words; as it is where the page has none for it. */
export function named(
  prefix: 'phase' | 'outcome' | 'status' | 'gate' | 'note' | 'ending' | 'decision',
  name: string,
): string {
  const all: Partial<Record<string, string>> = words();
  return all[`${prefix}_${name}`] ?? name.replaceAll('_', ' ');
}
