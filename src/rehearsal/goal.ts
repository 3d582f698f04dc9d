/** What a goal asks for, read from its words by tables. Nothing else of the rehearsal model reads goals. */
import { isKnownExtension } from './file-kinds.js';
import type { Topic, Work } from './goal-words.js';
import {
  ALL_TOPICS,
  BARE_FILE_NAMES,
  COMMON_WORDS,
  NOT_FILES,
  OVERVIEW_WORDS,
  REPORTING,
  SEARCH_PATTERNS,
  SEARCH_VERBS,
  TOPICS,
  UNSERVED,
  WORKS,
  WRITE_TO,
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
  /**
   * What is asked and cannot be done by rules: the verb or word that says so, empty where nothing of the above was
   * recognised; null where all is.
   */
  unserved: string | null;
}

/** What is looked at where the goal asks for nothing in particular. */
const BRIEF_TOPICS: readonly Topic[] = ['readme', 'tree'];

/** Reads a goal; what was said later in the same goal stands on lines of its own. */
export function readGoal(goal: string): Intent {
  const { writeTo, others } = takeTarget(goal);
  const { files, rest } = takeFiles(others);
  const quoted = SEARCH_VERBS.test(rest) ? quotedWords(rest) : [];
  const words = quoted.length > 0 ? quoted : searchWords(rest);
  // Words in quotes are what is searched for, not what is asked.
  const named = topicsIn(quoted.reduce((text, word) => text.replace(word, ' '), rest));
  const isAboutAll = OVERVIEW_WORDS.test(rest);
  const namesPart = files.length > 0 || words.length > 0;
  const isUnknown = named.length === 0 && !namesPart && !isAboutAll;
  return {
    zh: /\p{Script=Han}/u.test(goal),
    topics: isUnknown ? [...BRIEF_TOPICS] : isAboutAll && !namesPart ? overviewTopics(named) : named,
    files,
    folders: foldersIn(rest),
    writeTo,
    words,
    unserved: unservedPart(rest) ?? (isUnknown ? '' : null),
  };
}

/** "What is in this folder?" names the tree and means the whole. */
function overviewTopics(named: Topic[]): Topic[] {
  if (named.every(topic => topic === 'tree')) return ALL_TOPICS;
  return named.includes('readme') ? named : [...new Set([...BRIEF_TOPICS, ...named])];
}

/** The file to write to, and the goal without it: what is left says what to write. */
function takeTarget(goal: string): { writeTo: string | null; others: string } {
  const [whole = '', between = '', path] = firstMatch(WRITE_TO, goal) ?? [];
  if (path === undefined) return { writeTo: null, others: goal };
  return { writeTo: path.replace(/^\.\//, ''), others: goal.replace(whole, () => between) };
}

/** File names in the goal, and the goal without them, so that `todo.md` does not ask for TODOs. */
function takeFiles(goal: string): { files: string[]; rest: string } {
  const files = new Set<string>();
  const take = (name: string) => {
    files.add(name.replace(/^\.\//, ''));
    return ' ';
  };
  const rest = goal
    .replace(/https?:\/\/\S+/g, 'https://')
    .replace(
      /(?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.([A-Za-z][A-Za-z0-9]{0,9})(?![\w/])/g,
      (name, extension: string) => {
        const isFile = !NOT_FILES.test(name) && (isKnownExtension(extension) || name.includes('/'));
        return isFile ? take(name) : name;
      },
    )
    .replace(BARE_FILE_NAMES, take);
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
  const found = text.matchAll(/`([^`\n]+)`|"([^"\n]+)"|“([^”\n]+)”|「([^」\n]+)」|(?<!\w)'([^'\n]+)'(?!\w)/g);
  return [...found].map(groups => (groups.slice(1).find(group => group !== undefined) ?? '').trim());
}

function searchWords(text: string): string[] {
  const found = SEARCH_PATTERNS.flatMap(pattern => [...text.matchAll(pattern)]);
  const words = found.map(([, word = '']) => word.replace(/[.,;:?!]+$/, ''));
  return [...new Set(words)].filter(word => word.length > 1 && !COMMON_WORDS.has(word.toLowerCase()));
}

function topicsIn(text: string): Topic[] {
  const places = ALL_TOPICS.map(topic => ({ topic, at: text.search(TOPICS[topic].words) }));
  return places
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ topic }) => topic);
}

function unservedPart(text: string): string | null {
  const stripped = REPORTING.reduce((rest, pattern) => rest.replace(pattern, ' '), text);
  const found = firstMatch(UNSERVED, stripped);
  return found ? (found[1] ?? found[0]).toLowerCase() : null;
}

function firstMatch(patterns: readonly RegExp[], text: string): RegExpExecArray | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (found) return found;
  }
  return null;
}

/** Parts of the answer that a kind of work brings. */
export function topicsOf(work: Work, { topics }: Intent): Topic[] {
  return topics.filter(topic => TOPICS[topic].work === work);
}

/** Every kind of work that the goal needs, in order. */
export function workFor(intent: Intent): Work[] {
  const { topics, files, folders, words, writeTo } = intent;
  const needs: Record<Work, boolean> = {
    survey: topics.length + words.length + folders.length > 0,
    read: files.length + topicsOf('read', intent).length > 0,
    source: words.length + topicsOf('source', intent).length > 0,
    write: writeTo !== null,
  };
  return WORKS.filter(work => needs[work]);
}
