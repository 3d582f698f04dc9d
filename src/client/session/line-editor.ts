/** The line that a person types: keys in, text out. Pure. */
import { terminalText } from '../../print/terminal-text.js';

/** A key as `node:readline` tells it. */
export interface Key {
  name?: string | undefined;
  ctrl?: boolean | undefined;
  meta?: boolean | undefined;
  shift?: boolean | undefined;
  sequence?: string | undefined;
}

export interface Line {
  text: string;
  /** Index in `text`. */
  cursor: number;
  /** Lines sent before, the newest last. */
  history: string[];
  /** Place in `history` that is shown; null: the line at hand. */
  at: number | null;
  /** The line at hand while one of `history` is shown. */
  draft: string;
}

/** What a key means beyond the line. */
export type Intent =
  | 'submit'
  | 'follow-up'
  | 'escape'
  | 'interrupt'
  | 'end'
  | 'complete'
  | 'take-back'
  | null;

export const EMPTY_LINE: Line = { text: '', cursor: 0, history: [], at: null, draft: '' };

const HISTORY_KEPT = 100;

/** The line with another text, the cursor at its end. */
export function withText(line: Line, text: string): Line {
  return { ...line, text, cursor: text.length, at: null, draft: '' };
}

/** The empty line, with the text that was sent in its history. */
export function sent(line: Line): Line {
  const { text } = line;
  const history = text.trim() === '' ? line.history : [...line.history.slice(1 - HISTORY_KEPT), text];
  return { ...withText(line, ''), history };
}

/** Applies one key. */
export function pressKey(line: Line, key: Key): { line: Line; intent: Intent } {
  const { sequence = '' } = key;
  const name = SEQUENCE_NAMES[sequence] ?? key.name ?? '';
  if (name === 'paste') return { line: insert(line, terminalText(sequence)), intent: null };
  if (name === 'enter' || name === 'newline') return { line: insert(line, '\n'), intent: null };
  const intent = intentOf(name, key.ctrl === true, key.meta === true);
  if (intent !== null) return { line, intent };
  return { line: edited(line, key), intent: null };
}

/** Enter with Shift or Alt as terminals tell it that tell it at all (CSI u); Ctrl-J is a newline in all of them. */
const SEQUENCE_NAMES: Record<string, string> = {
  '\u001b[13;2u': 'newline',
  '\u001b[13;3u': 'alt-return',
};

function intentOf(name: string, ctrl: boolean, meta: boolean): Intent {
  if (name === 'return') return meta ? 'follow-up' : 'submit';
  if (name === 'alt-return') return 'follow-up';
  if (name === 'up' && meta) return 'take-back';
  if (name === 'escape') return 'escape';
  if (name === 'tab') return 'complete';
  if (!ctrl) return null;
  if (name === 'f') return 'follow-up';
  if (name === 'c') return 'interrupt';
  return name === 'd' ? 'end' : null;
}

function edited(line: Line, { name = '', ctrl = false, meta = false, sequence = '' }: Key): Line {
  const { cursor } = line;
  if (ctrl && name in CONTROL_MOVES) return CONTROL_MOVES[name]?.(line) ?? line;
  switch (name) {
    case 'left':
      return { ...line, cursor: meta || ctrl ? wordBefore(line) : before(line) };
    case 'right':
      return { ...line, cursor: meta || ctrl ? wordAfter(line) : after(line) };
    case 'home':
      return { ...line, cursor: lineStart(line) };
    case 'end':
      return { ...line, cursor: lineEnd(line) };
    case 'up':
      return upOrDown(line, -1);
    case 'down':
      return upOrDown(line, 1);
    case 'backspace':
      return cut(line, meta ? wordBefore(line) : before(line), cursor);
    case 'delete':
      return cut(line, cursor, after(line));
  }
  return ctrl || meta || sequence.startsWith('\u001b') ? line : insert(line, sequence);
}

const CONTROL_MOVES: Record<string, (line: Line) => Line> = {
  a: line => ({ ...line, cursor: lineStart(line) }),
  e: line => ({ ...line, cursor: lineEnd(line) }),
  u: line => cut(line, lineStart(line), line.cursor),
  k: line => cut(line, line.cursor, lineEnd(line)),
  w: line => cut(line, wordBefore(line), line.cursor),
  h: line => cut(line, before(line), line.cursor),
};

/** Control characters that no key stands for are no text. */
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

function cut(line: Line, from: number, to: number): Line {
  return { ...line, text: line.text.slice(0, from) + line.text.slice(to), cursor: from };
}

/** Where the character before the cursor begins: what a person sees as one. */
function before({ text, cursor }: Line): number {
  return graphemes(text.slice(0, cursor)).at(-1)?.index ?? 0;
}

function after({ text, cursor }: Line): number {
  return cursor + (graphemes(text.slice(cursor))[0]?.segment.length ?? 0);
}

function wordBefore({ text, cursor }: Line): number {
  return text.slice(0, cursor).search(/\S+\s*$/) < 0 ? 0 : text.slice(0, cursor).search(/\S+\s*$/);
}

function wordAfter({ text, cursor }: Line): number {
  return cursor + (/^\s*\S+/.exec(text.slice(cursor))?.[0].length ?? text.length - cursor);
}

const segmenter = new Intl.Segmenter();

function graphemes(text: string): Intl.SegmentData[] {
  return [...segmenter.segment(text)];
}

/** Where the line of text begins that the cursor is in. */
function lineStart({ text, cursor }: Line): number {
  return text.slice(0, cursor).lastIndexOf('\n') + 1;
}

function lineEnd({ text, cursor }: Line): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

/** To the next line of the text, as far from its start; from the first and the last, into what was sent before. */
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
