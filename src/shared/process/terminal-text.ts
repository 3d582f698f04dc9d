/**
 * What may reach a terminal: text, newlines, and of escape sequences the few styles of our own. Everything that
 * is printed goes through here, so that no model, tool or endpoint drives the terminal or hides text in it. Pure.
 */

import { escapeUnseen, replaceUnseen } from '../../base/text/unseen.js';

/**
 * Whole control sequences, so that nothing of them is left to read: CSI, then strings such as OSC, then the rest. No
 * string holds the beginning of another: each would be searched to its end, again and again.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f\n]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Foreign text without anything but what a person sees, newlines and tabs. */
export function terminalText(text: string): string {
  return replaceUnseen(text.replace(SEQUENCES, ''), () => '');
}

/** A name as it is where it is fit for a line of a terminal, else quoted, so that it writes no line of its own. */
export function oneLine(name: string): string {
  return terminalText(name) === name && !/[\n\t]/.test(name) ? name : escapeUnseen(JSON.stringify(name));
}

/** Bold, dim, inverse and their ends, the colours and their end: no style can hide text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this is about.
const OWN_STYLE = /(\u001b\[(?:1|2|7|22|27|3[1-69])m)/;

export function printable(text: string): string {
  const parts = text.split(OWN_STYLE);
  return parts.map((part, at) => (at % 2 === 1 ? part : terminalText(part))).join('');
}

/** Members that are moments: milliseconds inside, ISO 8601 wherever `--json` prints them. */
const MOMENTS: ReadonlySet<string> = new Set([
  'at',
  'deadline',
  'openedAt',
  'startedAt',
  'changedAt',
  'since',
]);
/** Members that models, tools and their servers fill: what has such a name there is theirs. */
const FOREIGN: ReadonlySet<string> = new Set(['input', 'value', 'schema', 'inputSchema']);

/** JSON on one line that hides nothing either, and loses nothing: what is not seen is escaped. */
export function jsonLine(value: unknown): string {
  const foreign = new WeakSet<object>();
  function withMoments(this: object, key: string, member: unknown): unknown {
    const isForeign = foreign.has(this) || FOREIGN.has(key);
    if (isForeign && typeof member === 'object' && member !== null) foreign.add(member);
    return !isForeign && typeof member === 'number' && MOMENTS.has(key)
      ? new Date(member).toISOString()
      : member;
  }
  return escapeUnseen(JSON.stringify(value, withMoments));
}
