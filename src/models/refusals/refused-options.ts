/** Options of a request that not every endpoint or model takes, and what is sent in their place. */
import { isRecord } from '../../base/json/json.js';
import type { ModelRequest } from '../provider/provider.js';
import { escaped, type Refusal, spellings } from './places.js';

export type Body = Record<string, unknown>;

/** A body without the fields that have nothing to say. */
export function withoutNothing<T extends object>(fields: { [K in keyof T]: T[K] | null | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as T;
}

export interface RefusableOption {
  /** Its place in the body, as errors name it: `reasoning.summary`. */
  path: string;
  /** Names it where several are at one place. */
  key?: string;
  /** Whether what stands there is what it is about. Default: anything is. */
  isIn?: (given: unknown) => boolean;
  /** How an error names it when it does not name it by its place. */
  words?: RegExp;
  /** Only the words tell: errors of other causes name this place too. */
  byWords?: true;
  /** What is sent in its place, the next best first. After the last it is left out. */
  instead?: readonly {
    path: string;
    /** How an error names this one. Default: as it names the option. */
    words?: RegExp;
    value(given: unknown, request: ModelRequest, modelId: string): unknown;
  }[];
  /** Places that are left out with it: they ask for the same. */
  also?: readonly string[];
  /** It was what this one request carried, not that it carried any: later requests try again. */
  once?: true;
  /** Hosts that are known to refuse it: there the next best is sent from the start. */
  hosts?: RegExp;
}

/** What a lesson on it is about. */
export function optionAbout({ path, key }: RefusableOption): string {
  return key === undefined ? `option ${path}` : `form ${key}`;
}

/** The body after so many refusals of each option. */
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
    if (level === 0 || given === undefined) continue;
    const next = option.instead?.[level - 1];
    body = put(body, option.path, undefined);
    if (next) body = put(body, next.path, next.value(given, request, modelId));
    for (const path of option.also ?? []) body = put(body, path, undefined);
  }
  return body;
}

/** Where the option stands in the body as it was sent after so many refusals; null when it is not there. */
export function pathAt({ path, instead = [], byWords }: RefusableOption, level: number): string | null {
  // What only its words tell of can't be left out: a conversation.
  if (byWords && level >= instead.length) return null;
  return level === 0 ? path : (instead[level - 1]?.path ?? null);
}

export function namedInWords({ message, code }: Refusal, _path: string, { words }: RefusableOption): boolean {
  return words?.test(`${message} ${code ?? ''}`) ?? false;
}

export function namedExactly({ message, param }: Refusal, path: string): boolean {
  if (param !== null && (isWithin(param, path) || isWithin(path, param))) return true;
  // "Use 'max_completion_tokens' instead of 'max_tokens'" names both: the one after "use" is the cure.
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

/** The body with another value at a place; without the place, and what is empty then, for undefined. */
function put(body: Body, path: string, value: unknown): Body {
  const [key = '', ...rest] = path.split('.');
  const inner = body[key];
  const given = rest.length === 0 ? value : put(isRecord(inner) ? inner : {}, rest.join('.'), value);
  const { [key]: _old, ...others } = body;
  const isEmpty = given === undefined || (rest.length > 0 && Object.keys(given as object).length === 0);
  return isEmpty ? others : { ...others, [key]: given };
}
