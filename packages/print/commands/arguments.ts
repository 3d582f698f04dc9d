/** Parses words of a command line: paths, times, numbers, limits, JSON. */

import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { errorText, exactJson, isRecord, NUMBER_HINT, readNumber } from 'steersman/base';
import { DEFAULT_LIMITS, type Limits, SteersmanError } from 'steersman/client';
import { byNpm, env } from 'steersman/shared';

/** Resolves a path from the user's current folder: npm runs a checkout's scripts in the checkout. */
export function userPath(path: string): string {
  return resolve((byNpm ? env.lookup('INIT_CWD') : undefined) ?? process.cwd(), path);
}

/** Returns the options whose value is not undefined. */
export function definedOptions<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

/** Parses an option that is a whole number, at least 1. */
export function positiveInteger(value: string): number {
  const number = readNumber(value) ?? 0;
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError('It must be a whole number, at least 1.');
}

/** Parses an option that is a number from 0 to `most`, with decimals. */
export function numberUpTo(most: number): (value: string) => number {
  return value => {
    const number = readNumber(value) ?? -1;
    if (number >= 0 && number <= most) return number;
    throw new InvalidArgumentError(`It must be a number from 0 to ${most}.`);
  };
}

/** Parses an option that is a port; 0 means any free port. */
export function portNumber(value: string): number {
  const number = readNumber(value) ?? -1;
  if (Number.isInteger(number) && number >= 0 && number < 65_536) return number;
  throw new InvalidArgumentError('It must be a port from 0 to 65535.');
}

/** Checks an option that must not be blank. */
export function notEmpty(value: string): string {
  if (value.trim() !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Parses `30m`, `2h`, `3d`, `1w` before `now`, or a date with or without a time, local by default; null for others. */
export function readSince(words: string, now: number): Date | null {
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(words) ?? [];
  if (count !== undefined) return new Date(now - Number(count) * (UNIT_MS[unit] ?? 0));
  if (!/^\d{4}-\d\d-\d\d(?:[T ]|$)/.test(words)) return null;
  // JavaScript would parse a date without time as midnight UTC.
  const moment = new Date(words.length === 10 ? `${words} 00:00` : words);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** Returns the seconds of `90s`, `30m`, `6h`, `2d` or `1w`; null for anything else. */
export function secondsOf(words: string): number | null {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(words) ?? [];
  return count === '' ? null : (Number(count) * (UNIT_MS[unit] ?? 0)) / 1_000;
}

/** Parses limits such as `tokens=2000000`; the run validates the values. */
export function readLimits(words: string[]): Partial<Limits> {
  const limits: Record<string, number | null> = {};
  for (const word of words) {
    const [, name, value = ''] = /^([^=]+)=(.+)$/.exec(word) ?? [];
    const number = readNumber(value);
    if (name === undefined || (number === null && value !== 'none')) {
      const remedy = `Write name=number, such as tokens=2000000 (costUsd=none for no limit). ${NUMBER_HINT}`;
      throw new SteersmanError(`${word} is not a limit.`, remedy, 'usage');
    }
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const known = Object.keys(DEFAULT_LIMITS).join(', ');
      throw new SteersmanError(`Unknown limit: ${name}.`, `The limits are: ${known}.`, 'usage');
    }
    limits[name] = number;
  }
  return limits as Partial<Limits>;
}

const FORMS = {
  object: { example: `'{"path": "notes.md"}'`, wanted: 'a JSON object', fits: isRecord },
  array: {
    example: `'[{"id": "task-3", "description": "Read docs/"}]'`,
    wanted: 'a JSON array of objects',
    fits: (value: unknown) => Array.isArray(value) && value.every(isRecord),
  },
};

/** Parses the JSON of the option `name`; null if it is missing. Throws a SteersmanError for another form. */
export function readJson<T extends object>(
  name: string,
  text: string | undefined,
  form: keyof typeof FORMS,
): T | null {
  if (text === undefined) return null;
  const { example, wanted, fits } = FORMS[form];
  const remedy = `For example: ${name} ${example} (in single quotes, for the shell).`;
  let value: unknown;
  try {
    value = exactJson(text);
  } catch (error) {
    throw new SteersmanError(`${name} is not JSON: ${errorText(error)}.`, remedy, 'usage');
  }
  if (fits(value)) return value as T;
  throw new SteersmanError(`${name} must be ${wanted}.`, remedy, 'usage');
}
