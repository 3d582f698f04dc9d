/** What a goal asks for, read from its words by tables. Nothing else of the rehearsal model reads goals. */
import { isKnownExtension } from './file-kinds.js';
import type { Topic } from './goal-words.js';
import {
  ACTION,
  ACTION_ZH,
  BARE_FILE_NAMES,
  COMMON_WORDS,
  NOT_FILES,
  OVERVIEW_WORDS,
  REPORTING,
  REPORTING_ZH,
  SEARCH_PATTERNS,
  SEARCH_VERBS,
  TOPIC_WORDS,
  WEB_WORDS,
  WRITE_TO,
  WRITE_TO_ZH,
} from './goal-words.js';

export interface Intent {
  /** Answer in Chinese. */
  zh: boolean;
  /** Parts of the answer, in the order of the goal's words. */
  topics: Topic[];
  /** Files that the goal names. */
  files: string[];
  /** Folders that the goal names: what is counted is counted below them. Empty: the workspace. */
  folders: string[];
  /** File that the answer is to be written to; null where nothing is to be written. */
  writeTo: string | null;
  /** Words to find the places of. */
  words: string[];
  /** What is asked and cannot be done by rules: the verb or word that says so; null where there is none. */
  unserved: string | null;
  /** Nothing of the above was recognised: lines that share these words may still help. */
  related: string[];
}

const ALL_TOPICS: readonly Topic[] = [
  'readme',
  'tree',
  'lines',
  'largest',
  'todos',
  'headings',
  'dependencies',
];
const BRIEF_TOPICS: readonly Topic[] = ['readme', 'tree'];

/** Reads a goal; what was said later in the same goal stands on lines of its own. */
export function readGoal(goal: string): Intent {
  const zh = /\p{Script=Han}/u.test(goal);
  const { writeTo, others } = takeTarget(goal);
  const { files, rest } = takeFiles(others);
  const folders = foldersIn(rest);
  const quoted = quotedWords(rest);
  const words = searchWords(rest, quoted);
  const unserved = unservedPart(rest);
  const isAboutAll = OVERVIEW_WORDS.test(rest);
  const named = topicsIn(withoutWords(rest, quoted), words);
  const nothingNamed = named.length === 0 && files.length === 0 && words.length === 0;
  const isUnknown = nothingNamed && !isAboutAll;
  const isOverview = isAboutAll && files.length === 0 && words.length === 0;
  return {
    zh,
    topics: isUnknown ? [...BRIEF_TOPICS] : isOverview ? overviewTopics(named) : named,
    files,
    folders,
    writeTo,
    words,
    unserved: unserved ?? (isUnknown ? '' : null),
    related: isUnknown ? contentWords(rest) : [],
  };
}

/** "What is in this folder?" names the tree and means the whole. */
function overviewTopics(named: Topic[]): Topic[] {
  if (named.every(topic => topic === 'tree')) return [...ALL_TOPICS];
  return named.includes('readme') ? named : [...new Set([...BRIEF_TOPICS, ...named])];
}

/** The file to write to, and the goal without it: what is left says what to write. */
function takeTarget(goal: string): { writeTo: string | null; others: string } {
  const found = WRITE_TO.exec(goal) ?? WRITE_TO_ZH.exec(goal);
  const [whole = '', between = '', path] = found ?? [];
  if (path === undefined) return { writeTo: null, others: goal };
  return { writeTo: path.replace(/^\.\//, ''), others: goal.replace(whole, () => between) };
}

/** File names in the goal, and the goal without them, so that `todo.md` does not ask for TODOs. */
function takeFiles(goal: string): { files: string[]; rest: string } {
  const files = new Set<string>();
  const withoutUrls = goal.replace(/https?:\/\/\S+/g, url => (WEB_WORDS.test(url) ? 'https://' : url));
  const rest = withoutUrls
    .replace(
      /(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.([A-Za-z][A-Za-z0-9]{0,9})(?![\w/])/g,
      (name, extension: string) => {
        const isFile = !NOT_FILES.test(name) && (isKnownExtension(extension) || name.includes('/'));
        if (isFile) files.add(name.replace(/^\.\//, ''));
        return isFile ? ' ' : name;
      },
    )
    .replace(BARE_FILE_NAMES, name => {
      files.add(name);
      return ' ';
    });
  return { files: [...files], rest };
}

/** `src/core`, `docs/`, "the src folder". */
function foldersIn(text: string): string[] {
  const named = [
    ...text.matchAll(/(?<![\w/:.])((?:[\w@.-]+\/)+[\w@.-]*)(?![\w/])/g),
    ...text.matchAll(/[`'"]?\b([\w.-]+)\b[`'"]? (?:folder|directory)\b/g),
    ...text.matchAll(/([\w./-]+)\s*(?:目录|文件夹)/g),
  ].map(([, name = '']) => name.replace(/^\.\/|\/+$/g, ''));
  return [...new Set(named)].filter(name => /\w/.test(name) && !COMMON_WORDS.has(name.toLowerCase()));
}

function quotedWords(text: string): string[] {
  return [
    ...text.matchAll(/`([^`\n]+)`|"([^"\n]+)"|“([^”\n]+)”|「([^」\n]+)」|(?<!\w)'([^'\n]+)'(?!\w)/g),
  ].map(groups => (groups.slice(1).find(group => group !== undefined) ?? '').trim());
}

function searchWords(text: string, quoted: string[]): string[] {
  const asked = SEARCH_VERBS.test(text) ? quoted : [];
  const named =
    quoted.length > 0
      ? []
      : SEARCH_PATTERNS.flatMap(pattern => [...text.matchAll(pattern)].map(([, word = '']) => word));
  const usable = named.filter(word => !COMMON_WORDS.has(word.toLowerCase()) && !isTopic(word));
  return [
    ...new Set(
      [...asked.filter(word => !isTopic(word)), ...usable].map(word => word.replace(/[.,;:?!]+$/, '')),
    ),
  ].filter(word => word.length > 1);
}

function isTopic(word: string): boolean {
  return Object.values(TOPIC_WORDS).some(pattern => pattern.exec(word)?.[0].length === word.length);
}

/** Words in quotes are what is searched for, not what is asked. */
function withoutWords(text: string, quoted: string[]): string {
  return quoted.filter(word => !isTopic(word)).reduce((rest, word) => rest.replace(word, ' '), text);
}

const OF_WORD: Partial<Record<Topic, RegExp>> = {
  lines: /\blines? (with|that|where|contain|of|mention)/i,
  tree: /\b(which|what|how many) files (that )?(use|mention|contain|import|call|refer)/i,
};

function topicsIn(text: string, words: string[]): Topic[] {
  const places = ALL_TOPICS.map(topic => ({ topic, at: text.search(TOPIC_WORDS[topic]) })).filter(
    ({ at }) => at >= 0,
  );
  places.sort((a, b) => a.at - b.at);
  // "Lines with the word x" asks for the word, not for a table of lines.
  const isOfWord = (topic: Topic) => words.length > 0 && OF_WORD[topic]?.test(text) === true;
  return places.map(({ topic }) => topic).filter(topic => !isOfWord(topic));
}

function unservedPart(text: string): string | null {
  const stripped = text.replace(REPORTING, ' ').replace(REPORTING_ZH, ' ');
  return (
    (
      ACTION.exec(stripped)?.[1] ??
      ACTION_ZH.exec(stripped)?.[1] ??
      WEB_WORDS.exec(stripped)?.[0] ??
      null
    )?.toLowerCase() ?? null
  );
}

function contentWords(text: string): string[] {
  const found = text.match(/[A-Za-z_$][\w$-]{2,}/g) ?? [];
  return [...new Set(found.map(word => word.toLowerCase()))]
    .filter(word => !COMMON_WORDS.has(word))
    .slice(0, 8);
}
