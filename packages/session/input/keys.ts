/**
 * Decodes keys of newer terminals: code and modifiers (`CSI code ; modifiers u`, or `CSI 27 ; modifiers ; code ~`).
 * `node:readline` knows neither form, and reports only the beginning of most of them as a key. Pure.
 */

/** A key as `node:readline` reports it. */
export interface Key {
  name?: string | undefined;
  ctrl?: boolean | undefined;
  meta?: boolean | undefined;
  shift?: boolean | undefined;
  sequence?: string | undefined;
}

/** Asks the terminal to report Shift+Enter and similar keys, by Kitty's protocol and xterm's. Other terminals ignore both. */
export const TELL_KEYS = '\u001b[>1u\u001b[>4;1m';
export const TELL_KEYS_NO_MORE = '\u001b[<u\u001b[>4;0m';

/** A control sequence without its last character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this is about.
const UNFINISHED = /^\u001b\[[\d;:]+$/;
const FINAL = /[@-~]/;
/** Limits a sequence, so that no input is buffered without end. */
const MOST_CHARS = 32;

/** Joins sequences that `node:readline` has split. */
export function wholeKeys(give: (key: Key) => void): (key: Key) => void {
  let begun = '';
  return key => {
    const { sequence = '' } = key;
    if (begun === '' && !UNFINISHED.test(sequence)) {
      give(keyOf(sequence) ?? key);
      return;
    }
    begun += sequence;
    const ended = begun.length > sequence.length && FINAL.test(sequence.slice(-1));
    if (!ended && begun.length < MOST_CHARS) return;
    const whole = begun;
    begun = '';
    give(keyOf(whole) ?? { sequence: whole });
  };
}

const NAMES: Record<number, string> = {
  9: 'tab',
  13: 'return',
  27: 'escape',
  32: 'space',
  127: 'backspace',
  57414: 'return',
};
const LETTERS: Record<string, string> = { A: 'up', B: 'down', C: 'right', D: 'left', F: 'end', H: 'home' };
const CODE_KEY = /^\[(\d+)(?::[\d:]*)?(?:;(\d+))?(?::\d+)?(?:;[\d:]*)?u$/;
const OTHER_KEY = /^\[27;(\d+);(\d+)~$/;
const LETTER_KEY = /^\[1;(\d+)([ABCDFH])$/;

/** Returns the key that a sequence encodes; null for any other sequence. */
export function keyOf(sequence: string): Key | null {
  if (!sequence.startsWith('\u001b')) return null;
  const body = sequence.slice(1);
  const [, code, codeMods] = CODE_KEY.exec(body) ?? [];
  if (code !== undefined) return codedKey(Number(code), Number(codeMods ?? 1), sequence);
  const [, otherMods, other] = OTHER_KEY.exec(body) ?? [];
  if (other !== undefined) return codedKey(Number(other), Number(otherMods), sequence);
  const [, letterMods, letter] = LETTER_KEY.exec(body) ?? [];
  if (letter === undefined) return null;
  return { name: LETTERS[letter], ...modifiers(Number(letterMods)), sequence };
}

/** A key that types a character has that character as its sequence. */
function codedKey(code: number, mods: number, sequence: string): Key {
  const { ctrl, meta, shift } = modifiers(mods);
  const name = NAMES[code] ?? (code > 32 && code < 0xe000 ? String.fromCodePoint(code) : undefined);
  const isCharacter = name?.length === 1 || name === 'space';
  const typed = isCharacter && !ctrl && !meta ? String.fromCodePoint(code) : sequence;
  return { name, ctrl, meta, shift, sequence: typed };
}

/** Decodes the modifiers: 1 plus the sum of 1 Shift, 2 Alt, 4 Ctrl; higher bits are locks. */
function modifiers(encoded: number): { shift: boolean; meta: boolean; ctrl: boolean } {
  const bits = encoded - 1;
  return { shift: (bits & 1) !== 0, meta: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
}
