/** Calls that write a complete file: their gates compare its present content with the new one. */

import { isRecord } from '../../base/json/json.js';
import { headChars } from '../../base/text/large-text.js';
import { escapeUnseen } from '../../base/text/unseen.js';
import { fill, type Words } from '../../base/words/words.js';

/** Argument names for the file and for its new content. */
export const PATH = ['path', 'file_path', 'filePath'];
const CONTENT = ['content', 'contents', 'file_text', 'fileText'];
/** The limit for a diff. */
export const MOST_DIFF_CHARS = 4_000;
const MOST_PATH_CHARS = 200;

export interface WholeWrite {
  path: string;
  content: string;
}

/** A file's content at the time of the question, compared with the call's. Diffs: lines with `-`, `+` or a blank, cut. */
export type ComparedFile =
  | { kind: 'changed' | 'new'; diff: string }
  | { kind: 'same' }
  /** Outside the workspace, too large, not text, or unreadable. */
  | { kind: 'unread' };

/** The edits of a call can't be applied to the file as it is. */
export interface EditFails {
  kind: 'fails';
  why: string;
}

/** Null for any other call: one with more arguments may append, or write elsewhere. */
export function wholeWrite(input: unknown): WholeWrite | null {
  if (!isRecord(input) || Object.keys(input).length !== 2) return null;
  const [path, content] = [textUnder(input, PATH), textUnder(input, CONTENT)];
  return path === null || content === null || path.trim() === '' ? null : { path, content };
}

export function textUnder(input: Record<string, unknown>, names: readonly string[]): string | null {
  const found = names.map(name => input[name]).find(value => typeof value === 'string');
  return typeof found === 'string' ? found : null;
}

export function shownDiff(diff: string, most = MOST_DIFF_CHARS): string {
  return diff.length > most ? `${diff.slice(0, most)}\n…` : diff;
}

const COMPARED = {
  changed: 'gateChanged',
  new: 'gateNewFile',
  same: 'gateSameFile',
  unread: 'gateUnread',
} as const;

export function comparedLine(words: Words, { kind }: ComparedFile, path: string): string {
  const shown = path.length <= MOST_PATH_CHARS ? path : `${headChars(path, MOST_PATH_CHARS - 1)}…`;
  return fill(words[COMPARED[kind]], { path: escapeUnseen(JSON.stringify(shown)) });
}
