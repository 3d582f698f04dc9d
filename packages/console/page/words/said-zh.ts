/**
 * Says texts of a run in Chinese: those of `prompts/words`, and sentences of its journal. Any other text stays as it is:
 * words of people, models, tools and endpoints. Pure.
 */
import { filled } from 'steersman/base';
import { JOURNAL } from './journal-zh.js';
import { RUN_TEXTS } from './run-texts.js';

interface Form {
  whole: RegExp;
  /** Finds a sentence that others may follow; null for a part of one. */
  first: RegExp | null;
  chinese: string;
  /** Of the forms that fit, the one with most characters of its own is right; one that begins with a value comes last. */
  weight: number;
}

const MOST_CHARS = 1_000;

const FORMS: readonly Form[] = [...RUN_TEXTS, ...JOURNAL]
  .map(
    ([english, chinese]): Form => ({
      whole: new RegExp(`^(?:${filled(english)})$`),
      first: /[.?:]$/.test(english) ? new RegExp(`^(?:${filled(english)})(?= |$)`) : null,
      chinese,
      weight: english.replace(/\{\w+\}/g, '').length - (english.startsWith('{') ? MOST_CHARS : 0),
    }),
  )
  .sort((one, other) => other.weight - one.weight);

/** Variables that may hold another text of the run. */
const INNER = new Set([
  'as',
  'concern',
  'first',
  'reader',
  'reason',
  'rest',
  'status',
  'title',
  'unread',
  'what',
  'why',
]);

/** Lines between fences are code. */
export function sayInChinese(text: string): string {
  let isCode = false;
  const lines = text.split('\n').map(line => {
    if (line.startsWith('```')) isCode = !isCode;
    return isCode ? line : lineOf(line);
  });
  return lines.join('\n');
}

function lineOf(line: string): string {
  const [, mark = '', words = ''] = /^((?:\s|[-✓✗↺] |\d+\. )*)(.*)$/u.exec(line) ?? [];
  return words === '' ? line : mark + (sentencesOf(words) ?? wholeOf(words) ?? words);
}

function wholeOf(text: string): string | null {
  for (const { whole, chinese } of FORMS) {
    const found = whole.exec(text);
    if (found) return withValues(chinese, found.groups);
  }
  return null;
}

/** Null if one of the sentences is unknown: a text is translated completely or not at all. */
function sentencesOf(text: string): string | null {
  let said = '';
  for (let rest = text; rest !== ''; ) {
    const form = FORMS.find(({ first }) => first?.test(rest));
    const found = form?.first?.exec(rest);
    if (!form || !found) return null;
    said += withValues(form.chinese, found.groups);
    rest = rest.slice(found[0].length).trimStart();
  }
  return said;
}

function withValues(chinese: string, values: Readonly<Record<string, string>> = {}): string {
  return chinese.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return INNER.has(name) ? lineOf(value) : value;
  });
}
