/** The line that a person types: keys in, text out. Pure. */
import { terminalText } from 'steersman/shared';
import type { Key } from './keys.js';

export interface Line {
  text: string;
  cursor: number;
  /** Lines that were sent, newest last. */
  history: string[];
  /** Index in `history` of the shown line; null: the current line. */
  at: number | null;
  /** The current line while a line of `history` is shown. */
  draft: string;
  /** The text that was last cut by words or lines, for Ctrl-Y. */
  killed: string;
}

/** The meaning of a key beyond editing the line. */
export type Intent = 'submit' | 'follow-up' | 'escape' | 'interrupt' | 'end' | 'take-back' | 'open' | null;

export const EMPTY_LINE: Line = { text: '', cursor: 0, history: [], at: null, draft: '', killed: '' };

const HISTORY_KEPT = 100;

export function withText(line: Line, text: string): Line {
  return { ...line, text, cursor: text.length, at: null, draft: '' };
}

/** Returns an empty line whose history ends with the sent text. */
export function sent(line: Line): Line {
  const { text } = line;
  const history = text.trim() === '' ? line.history : [...line.history.slice(1 - HISTORY_KEPT), text];
  return { ...withText(line, ''), history };
}

export function pressKey(line: Line, key: Key): { line: Line; intent: Intent } {
  const { sequence = '', name = '', ctrl = false, meta = false } = key;
  if (name === 'paste') return { line: insert(line, terminalText(sequence)), intent: null };
  const newline = asNewline(line, key);
  if (newline) return { line: newline, intent: null };
  const intent = intentOf(name, ctrl, meta);
  if (intent !== null) return { line, intent };
  return { line: edited(line, key), intent: null };
}

/**
 * Inserts a newline: Ctrl-J in every terminal (its name is `enter`), Shift+Enter if the terminal reports it, else a
 * backslash before Enter. Null for any other key.
 */
function asNewline(line: Line, { name = '', ctrl = false, meta = false, shift = false }: Key): Line | null {
  if (name === 'enter' || (name === 'j' && ctrl)) return insert(line, '\n');
  if (name !== 'return' || meta) return null;
  if (shift || ctrl) return insert(line, '\n');
  const { text, cursor } = line;
  return text[cursor - 1] === '\\' ? insert(cut(line, cursor - 1, cursor), '\n') : null;
}

function intentOf(name: string, ctrl: boolean, meta: boolean): Intent {
  if (name === 'return') return meta ? 'follow-up' : 'submit';
  if (name === 'up' && meta) return 'take-back';
  if (name === 'escape') return 'escape';
  if (!ctrl) return null;
  if (name === 'f') return 'follow-up';
  if (name === 'o') return 'open';
  if (name === 'c') return 'interrupt';
  return name === 'd' ? 'end' : null;
}

function edited(line: Line, { name = '', ctrl = false, meta = false, sequence = '' }: Key): Line {
  const moves = [ctrl && CONTROL_MOVES[name], meta && ALT_MOVES[name], (ctrl || meta) && WORD_MOVES[name]];
  const move = moves.find(found => typeof found === 'function') ?? MOVES[name];
  if (move) return move(line);
  return ctrl || meta || name === 'tab' || sequence.startsWith('\u001b') ? line : insert(line, sequence);
}

type Moves = Partial<Record<string, (line: Line) => Line>>;

const MOVES: Moves = {
  left: line => ({ ...line, cursor: before(line) }),
  right: line => ({ ...line, cursor: after(line) }),
  home: line => ({ ...line, cursor: lineStart(line) }),
  end: line => ({ ...line, cursor: lineEnd(line) }),
  up: line => upOrDown(line, -1),
  down: line => upOrDown(line, 1),
  backspace: line => cut(line, before(line), line.cursor),
  delete: line => cut(line, line.cursor, after(line)),
};

const WORD_MOVES: Moves = {
  left: line => ({ ...line, cursor: wordBefore(line) }),
  right: line => ({ ...line, cursor: wordAfter(line) }),
  backspace: line => kill(line, wordBefore(line), line.cursor),
  delete: line => kill(line, line.cursor, wordAfter(line)),
};

const CONTROL_MOVES: Moves = {
  ...{ a: MOVES.home, e: MOVES.end, b: MOVES.left, p: MOVES.up, n: MOVES.down, h: MOVES.backspace },
  u: line => kill(line, lineStart(line), line.cursor),
  k: line => kill(line, line.cursor, toCut(line)),
  w: line => kill(line, spacedBefore(line), line.cursor),
  y: line => insert(line, line.killed),
};

const ALT_MOVES: Moves = { b: WORD_MOVES.left, f: WORD_MOVES.right, d: WORD_MOVES.delete };

/** Removes control characters that belong to no key. */
function insert(line: Line, sequence: string): Line {
  const typed = sequence.replace(/[^\P{Cc}\n\t]/gu, '').replaceAll('\t', ' ');
  if (typed === '') return line;
  const { text, cursor } = line;
  return {
    ...line,
    text: text.slice(0, cursor) + typed + text.slice(cursor),
    cursor: cursor + typed.length,
  };
}

function kill(line: Line, from: number, to: number): Line {
  const killed = line.text.slice(from, to);
  return killed === '' ? line : { ...cut(line, from, to), killed };
}

function cut(line: Line, from: number, to: number): Line {
  return { ...line, text: line.text.slice(0, from) + line.text.slice(to), cursor: from };
}

/** Returns the start of the character (grapheme) before the cursor. */
function before({ text, cursor }: Line): number {
  return graphemes(text.slice(0, cursor)).at(-1)?.index ?? 0;
}

function after({ text, cursor }: Line): number {
  return cursor + (graphemes(text.slice(cursor))[0]?.segment.length ?? 0);
}

/** Returns the start of the word before the cursor, by the rules of its script, because some scripts have no spaces. */
function wordBefore({ text, cursor }: Line): number {
  return wordsOf(text.slice(0, cursor)).at(-1)?.index ?? 0;
}

function wordAfter({ text, cursor }: Line): number {
  const [word] = wordsOf(text.slice(cursor));
  return word ? cursor + word.index + word.segment.length : text.length;
}

function spacedBefore({ text, cursor }: Line): number {
  return Math.max(0, text.slice(0, cursor).search(/\S+\s*$/));
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

function wordsOf(text: string): Intl.SegmentData[] {
  return [...words.segment(text)].filter(({ isWordLike }) => isWordLike);
}

const segmenter = new Intl.Segmenter();

function graphemes(text: string): Intl.SegmentData[] {
  return [...segmenter.segment(text)];
}

/** Returns the start of the line of text that contains the cursor. */
function lineStart({ text, cursor }: Line): number {
  return text.slice(0, cursor).lastIndexOf('\n') + 1;
}

function lineEnd({ text, cursor }: Line): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

/** Returns the end of the line for Ctrl-K; at the end of a line, its newline is cut. */
function toCut(line: Line): number {
  const end = lineEnd(line);
  return end === line.cursor ? Math.min(end + 1, line.text.length) : end;
}

/** Moves to the next line of the text, in the same column; beyond the first and last line, into the history. */
function upOrDown(line: Line, step: -1 | 1): Line {
  const { text } = line;
  const start = lineStart(line);
  const end = lineEnd(line);
  if (step < 0 ? start === 0 : end === text.length) return recall(line, step);
  const target = { ...line, cursor: step < 0 ? start - 1 : end + 1 };
  return { ...line, cursor: Math.min(lineStart(target) + line.cursor - start, lineEnd(target)) };
}

function recall(line: Line, step: -1 | 1): Line {
  const { history, at, text } = line;
  const draft = at === null ? text : line.draft;
  const next = (at ?? history.length) + step;
  if (next < 0 || next > history.length) return line;
  if (next === history.length) return withText(line, draft);
  return { ...withText(line, history[next] ?? ''), at: next, draft };
}
