/**
 * Translates a run's texts to Chinese: those of `prompts/words`, and sentences of its journal. Any other text stays as
 * it is: words of people, models, tools and endpoints. Pure.
 */
import { filled } from 'steersman/base';
import { JOURNAL } from './journal-zh.js';
import { ADDED_TEXTS, RUN_TEXTS } from './run-texts.js';

interface Form {
  whole: RegExp;
  /** Finds a sentence that others may follow; null for a part of one. */
  first: RegExp | null;
  chinese: string;
  /**
   * If several forms match, the one with the most fixed characters wins; a form that begins with a value comes last.
   */
  weight: number;
}

const MOST_CHARS = 1_000;

const formsOf = (pairs: typeof JOURNAL): Form[] =>
  pairs
    .map(
      ([english, chinese]): Form => ({
        whole: new RegExp(`^(?:${filled(english)})$`),
        first: /[.?:]$/.test(english) ? new RegExp(`^(?:${filled(english)})(?= |$)`) : null,
        chinese,
        weight: english.replace(/\{\w+\}/g, '').length - (english.startsWith('{') ? MOST_CHARS : 0),
      }),
    )
    .sort((one, other) => other.weight - one.weight);

/** A Chinese run contains English reasons if a worker or an activity gave them. */
const ofBoth = (pairs: typeof JOURNAL): typeof JOURNAL => [
  ...pairs,
  ...pairs.flatMap(([, chinese]) =>
    /\{(?:why|checks)\}/.test(chinese) ? [[chinese, chinese] as const] : [],
  ),
];
const FORMS = formsOf([...ofBoth(RUN_TEXTS), ...JOURNAL]);
const ADDED = formsOf(ofBoth(ADDED_TEXTS));

/** Variables that may hold another text of the run. */
const INNER = new Set([
  'as',
  'concern',
  'first',
  'how',
  'reader',
  'reason',
  'rest',
  'status',
  'title',
  'unread',
  'what',
  'why',
]);

/** Leaves lines between fences as they are, because they are code. `inWords` limits this to lines that a run added to a role's text. */
export function sayInChinese(text: string, inWords = false): string {
  let isCode = false;
  const lines = text.split('\n').map(line => {
    if (line.startsWith('```')) isCode = !isCode;
    if (isCode) return line;
    return inWords ? (wholeOf(line, ADDED) ?? line) : lineOf(line);
  });
  return lines.join('\n');
}

function lineOf(line: string): string {
  const [, mark = '', words = ''] = /^((?:\s|[-✓✗] |\d+\. )*)(.*)$/u.exec(line) ?? [];
  return words === '' ? line : mark + (sentencesOf(words) ?? wholeOf(words) ?? namedOf(words) ?? words);
}

/** Many lines begin with a name, such as a role's. */
function namedOf(text: string): string | null {
  const [, name, words = ''] = /^(\S+): (.+)$/.exec(text) ?? [];
  const said = sentencesOf(words) ?? wholeOf(words);
  return name === undefined || said === null ? null : `${name}：${said}`;
}

function wholeOf(text: string, forms = FORMS): string | null {
  for (const { whole, chinese } of forms) {
    const found = whole.exec(text);
    if (found) return withValues(chinese, found.groups);
  }
  return null;
}

/** Null if one of the sentences is unknown: a text is translated completely or not at all. */
function sentencesOf(text: string): string | null {
  let said = '';
  for (let rest = text; rest !== ''; ) {
    const found = firstOf(rest);
    if (found === null) return null;
    said += found.chinese;
    rest = rest.slice(found.length).trimStart();
  }
  return said === '' ? null : said;
}

/** Returns the known sentence with which a text begins, and its length in the text; null without one. */
function firstOf(text: string): { chinese: string; length: number } | null {
  for (const { first, chinese } of FORMS) {
    const found = first?.exec(text);
    if (found) return { chinese: withValues(chinese, found.groups), length: found[0].length };
  }
  return null;
}

function withValues(chinese: string, values: Readonly<Record<string, string>> = {}): string {
  return chinese.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    if (name === 'faults') return value.split('; ').map(lineOf).join('；');
    // A list of checks, each with its result in brackets.
    if (name === 'checks') return value.replace(/(?<=\[)[^\]]*(?=\])/g, lineOf);
    return INNER.has(name) ? lineOf(value) : value;
  });
}
