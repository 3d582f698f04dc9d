/** Calls that write the whole of a file: what their gates show is what stands there, compared with what they bring. */

import { isRecord } from '../../base/json/json.js';
import { headChars } from '../../base/text/large-text.js';
import { escapeUnseen } from '../../base/text/unseen.js';
import { fill, type Words } from '../../base/words/words.js';

/** Names by which tools call the file, and what it is to hold. */
const PATH = ['path', 'file_path', 'filePath'];
const CONTENT = ['content', 'contents', 'file_text', 'fileText'];
/** Of a diff. */
const MOST_CHARS = 4_000;
const MOST_PATH_CHARS = 200;

export interface WholeWrite {
  path: string;
  content: string;
}

/** The file as it was when somebody asked, beside what a call is to write. Diffs: lines with `-`, `+` or a blank, cut. */
export type ComparedFile =
  | { kind: 'changed' | 'new'; diff: string }
  | { kind: 'same' }
  /** Outside the workspace, too large, no text, or not to be read. */
  | { kind: 'unread' };

/** Null for any other call: one that says more than these two may append, or write somewhere else. */
export function wholeWrite(input: unknown): WholeWrite | null {
  if (!isRecord(input) || Object.keys(input).length !== 2) return null;
  const [path, content] = [textUnder(input, PATH), textUnder(input, CONTENT)];
  return path === null || content === null || path.trim() === '' ? null : { path, content };
}

export function textUnder(input: Record<string, unknown>, names: readonly string[]): string | null {
  const found = names.map(name => input[name]).find(value => typeof value === 'string');
  return typeof found === 'string' ? found : null;
}

export function shownDiff(diff: string): string {
  return diff.length > MOST_CHARS ? `${diff.slice(0, MOST_CHARS)}\n…` : diff;
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
