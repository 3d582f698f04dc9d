/** The line that a person types: keys in, text out. Pure. */

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
  /** Between the marks of a bracketed paste: keys are text. */
  pasting: boolean;
}

/** What a key means beyond the line. */
export type Intent = 'submit' | 'follow-up' | 'escape' | 'interrupt' | 'end' | 'complete' | null;

export const EMPTY_LINE: Line = { text: '', cursor: 0, history: [], at: null, pasting: false };

const HISTORY_KEPT = 100;

/** The line with another text, the cursor at its end. */
export function withText(line: Line, text: string): Line {
  return { ...line, text, cursor: text.length, at: null };
}

/** The empty line, with the text that was sent in its history. */
export function sent(line: Line): Line {
  const { text } = line;
  const history = text.trim() === '' ? line.history : [...line.history.slice(1 - HISTORY_KEPT), text];
  return { ...withText(line, ''), history };
}

/** Applies one key. */
export function pressKey(line: Line, key: Key): { line: Line; intent: Intent } {
  const { name = '', ctrl = false, meta = false } = key;
  if (name === 'paste-start' || name === 'paste-end') {
    return { line: { ...line, pasting: name === 'paste-start' }, intent: null };
  }
  if (line.pasting) return { line: insert(line, (key.sequence ?? '').replace(/\r\n?/g, '\n')), intent: null };
  const intent = intentOf(name, ctrl, meta);
  if (intent !== null) return { line, intent };
  return { line: edited(line, key), intent: null };
}

function intentOf(name: string, ctrl: boolean, meta: boolean): Intent {
  if (name === 'return' || name === 'enter') return meta ? 'follow-up' : 'submit';
  if (name === 'escape') return 'escape';
  if (name === 'tab') return 'complete';
  if (!ctrl) return null;
  if (name === 'f') return 'follow-up';
  if (name === 'c') return 'interrupt';
  return name === 'd' ? 'end' : null;
}

function edited(line: Line, { name = '', ctrl = false, meta = false, sequence = '' }: Key): Line {
  const { text, cursor } = line;
  if (ctrl && name in CONTROL_MOVES) return CONTROL_MOVES[name]?.(line) ?? line;
  switch (name) {
    case 'left':
      return { ...line, cursor: meta || ctrl ? wordBefore(line) : before(line) };
    case 'right':
      return { ...line, cursor: meta || ctrl ? wordAfter(line) : after(line) };
    case 'home':
      return { ...line, cursor: 0 };
    case 'end':
      return { ...line, cursor: text.length };
    case 'up':
      return recall(line, -1);
    case 'down':
      return recall(line, 1);
    case 'backspace':
      return cut(line, meta ? wordBefore(line) : before(line), cursor);
    case 'delete':
      return cut(line, cursor, after(line));
  }
  return ctrl || meta ? line : insert(line, sequence);
}

const CONTROL_MOVES: Record<string, (line: Line) => Line> = {
  a: line => ({ ...line, cursor: 0 }),
  e: line => ({ ...line, cursor: line.text.length }),
  u: line => cut(line, 0, line.cursor),
  k: line => cut(line, line.cursor, line.text.length),
  w: line => cut(line, wordBefore(line), line.cursor),
  h: line => cut(line, before(line), line.cursor),
};

/** Control characters and escape sequences that no key stands for are no text. */
function insert(line: Line, sequence: string): Line {
  const typed = sequence.replace(/[^\P{Cc}\n\t]/gu, '').replaceAll('\t', ' ');
  if (typed === '' || sequence.startsWith('\u001b')) return line;
  const { text, cursor } = line;
  return {
    ...line,
    text: text.slice(0, cursor) + typed + text.slice(cursor),
    cursor: cursor + typed.length,
    at: null,
  };
}

function cut(line: Line, from: number, to: number): Line {
  return { ...line, text: line.text.slice(0, from) + line.text.slice(to), cursor: from, at: null };
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

function recall(line: Line, step: -1 | 1): Line {
  const { history, at } = line;
  const next = (at ?? history.length) + step;
  if (next < 0) return line;
  if (next >= history.length) return withText(line, '');
  return { ...withText(line, history[next] ?? ''), at: next };
}
