/** Options of a request that some endpoints or models refuse, and their replacements. */
import { isRecord } from '../../base/json/json.js';
import type { ModelRequest } from '../provider/provider.js';
import { escaped, type Refusal, spellings } from './places.js';

export type Body = Record<string, unknown>;

/** Returns the body without fields that are null or undefined. */
export function withoutNothing<T extends object>(fields: { [K in keyof T]: T[K] | null | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as T;
}

export interface RefusableOption {
  /** Its place in the body, as errors name it: `reasoning.summary`. */
  path: string;
  /** Distinguishes options at the same place. */
  key?: string;
  /** True if the value at this place, or its absence, is one that this option covers. Default: every value. */
  isIn?: (given: unknown) => boolean;
  /** Words for the option in errors that do not name its place. */
  words?: RegExp;
  /** Only `words` identify the option, because errors with other causes name its place too. */
  byWords?: true;
  /** The replacements, the best first. After the last one the option is left out. */
  instead?: readonly {
    path: string;
    /** Words for this replacement in errors. Default: the words of the option. */
    words?: RegExp;
    value(given: unknown, request: ModelRequest, modelId: string): unknown;
  }[];
  /** Places that are left out together with it, because they request the same. */
  also?: readonly string[];
  /** The refusal concerned the content of this one request, so later requests try the option again. */
  once?: true;
  /** Hosts that are known to refuse it; they get the first replacement from the start. */
  hosts?: RegExp;
}

export function covers({ isIn }: RefusableOption, given: unknown): boolean {
  return isIn ? isIn(given) : given !== undefined;
}

/** Returns the subject of a lesson about it. */
export function optionAbout({ path, key }: RefusableOption): string {
  return key === undefined ? `option ${path}` : `form ${key}`;
}

/** Returns the body after as many refusals of each option as `levelOf` returns. */
export function withOptions(
  wanted: Body,
  options: readonly RefusableOption[],
  levelOf: (option: RefusableOption) => number,
  [request, modelId]: [ModelRequest, string],
): Body {
  let body = wanted;
  for (const option of options) {
    const level = levelOf(option);
    const given = valueAt(body, option.path);
    if (level === 0 || !covers(option, given)) continue;
    const next = option.instead?.[level - 1];
    body = put(body, option.path, undefined);
    if (next) body = put(body, next.path, next.value(given, request, modelId));
    for (const path of option.also ?? []) body = put(body, path, undefined);
  }
  return body;
}

/** Returns the place of the option in the body that was sent after `level` refusals; null if it was left out. */
export function pathAt({ path, instead = [], byWords }: RefusableOption, level: number): string | null {
  // An option known by its words only, a conversation, can't be left out.
  if (byWords && level >= instead.length) return null;
  return level === 0 ? path : (instead[level - 1]?.path ?? null);
}

export function namedInWords({ message, code }: Refusal, _path: string, { words }: RefusableOption): boolean {
  return words?.test(`${message} ${code ?? ''}`) ?? false;
}

export function namedExactly({ message, param }: Refusal, path: string): boolean {
  if (param !== null && (isWithin(param, path) || isWithin(path, param))) return true;
  // "Use 'max_completion_tokens' instead of 'max_tokens'" names both: the one after "use" is the remedy.
  const blamed = message.replace(/\buse ['"`]?\w+['"`]?/gi, '');
  return path.includes('.')
    ? new RegExp(`\\b${escaped(path)}\\b`).test(blamed)
    : spellings(path).test(blamed);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

export function valueAt(body: Body, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), body);
}

/** Returns the body with another value at a place. Undefined removes the place, and its parent if that is then empty. */
function put(body: Body, path: string, value: unknown): Body {
  const [key = '', ...rest] = path.split('.');
  const inner = body[key];
  const given = rest.length === 0 ? value : put(isRecord(inner) ? inner : {}, rest.join('.'), value);
  const { [key]: _old, ...others } = body;
  const isEmpty = given === undefined || (rest.length > 0 && Object.keys(given as object).length === 0);
  return isEmpty ? others : { ...others, [key]: given };
}
