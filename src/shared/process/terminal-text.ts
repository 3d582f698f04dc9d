/**
 * Decides what may reach a terminal: text, newlines, and a few escape sequences for our own styles. Everything printed
 * passes through here, so that no model, tool or endpoint can control the terminal or hide text in it.
 */

import { escapeUnseen, replaceUnseen } from '../../base/text/unseen.js';

/**
 * Whole control sequences, so that no part of them remains: CSI, then strings such as OSC, then the rest. The pattern
 * of a string excludes the start of another; otherwise each start would be searched to the end again.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0090\u0098\u009c-\u009f\n]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Returns only the visible part of foreign text, with newlines and tabs. */
export function terminalText(text: string): string {
  return replaceUnseen(text.replace(SEQUENCES, ''), () => '');
}

/** Returns a name unchanged if it is safe on one line of a terminal, otherwise quoted. */
export function oneLine(name: string): string {
  return terminalText(name) === name && !/[\n\t]/.test(name) ? name : escapeUnseen(JSON.stringify(name));
}

/** Bold, dim, inverse, the colours, and the codes that end them; none of these styles can hide text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this is about.
const OWN_STYLE = /(\u001b\[(?:1|2|7|22|27|3[1-69])m)/;

export function printable(text: string): string {
  const parts = text.split(OWN_STYLE);
  return parts.map((part, at) => (at % 2 === 1 ? part : terminalText(part))).join('');
}

/** Fields that are times: milliseconds inside the program, ISO 8601 in the output of `--json`. */
const MOMENTS: ReadonlySet<string> = new Set([
  'at',
  'deadline',
  'openedAt',
  'startedAt',
  'changedAt',
  'since',
]);
/** Fields that models, tools and their servers fill; inside them the names of `MOMENTS` have no special meaning. */
const FOREIGN: ReadonlySet<string> = new Set(['input', 'value', 'schema', 'inputSchema']);

/** Returns JSON on one line. Invisible characters are escaped, so it hides nothing and loses nothing. */
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
