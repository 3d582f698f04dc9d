/** The changes to a conversation that a function of the program may make before a call (X1). */

import { isRecord, isText, jsonBytes } from '../base/json/json.js';
import { expected, type Parsed } from '../base/text/output-fields.js';

/** A function's requested changes. Ids name the messages that it got. */
export interface ContextChange {
  /** A reply is left out with the results of its calls; a result alone is replaced by a line. */
  leaveOut?: readonly string[];
  /** Replaces a message's text; calls stay. */
  replace?: readonly { id: string; text: string }[];
  /** Adds a message after the message `after` and its group; without `after`, at the end. */
  add?: readonly { text: string; after?: string }[];
}

export const CHANGE_BYTES = 48_000;

/** Reads any JSON; an absent value changes nothing. */
export function readChange(raw: unknown): Parsed<Required<ContextChange>> {
  const faults: string[] = [];
  if (raw !== undefined && raw !== null && !isRecord(raw)) faults.push(expected('the change', FORM, raw));
  const given = isRecord(raw) ? raw : {};
  const list = <T>(name: keyof ContextChange, form: string, fits: (each: unknown) => each is T): T[] => {
    const value = given[name] ?? [];
    if (Array.isArray(value) && value.every(fits)) return value;
    faults.push(expected(name, `a list of ${form}`, value));
    return [];
  };
  const value = {
    leaveOut: list('leaveOut', 'ids of messages', isText),
    replace: list('replace', '{ id, text }', isReplacement),
    add: list('add', '{ text, after }', isAddition),
  };
  const bytes = jsonBytes(value);
  if (bytes > CHANGE_BYTES)
    faults.push(`the change has ${bytes} bytes, and at most ${CHANGE_BYTES} are taken.`);
  return faults.length > 0 ? { ok: false, value: null, errors: faults } : { ok: true, value };
}

const FORM = 'an object { leaveOut, replace, add }';

function isReplacement(value: unknown): value is { id: string; text: string } {
  return isRecord(value) && isText(value.id) && isText(value.text);
}

function isAddition(value: unknown): value is { text: string; after?: string } {
  return isRecord(value) && isText(value.text) && (value.after === undefined || isText(value.after));
}
