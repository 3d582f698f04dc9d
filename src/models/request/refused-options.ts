/**
 * Options of a request that not every endpoint or model takes. Where one answers that it does not, the request goes
 * on without the option, or with the next best, in the same try, and later ones begin with that.
 */
import { LRUCache } from 'lru-cache';
import { isRecord } from '../../core/text/json.js';
import type { ModelRequest } from '../provider.js';

export type Body = Record<string, unknown>;

/** A body without the fields that have nothing to say. */
export function withoutNothing<T extends object>(fields: { [K in keyof T]: T[K] | null | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as T;
}

export interface RefusableOption {
  /** Its place in the body, as errors name it: `reasoning.summary`. */
  path: string;
  /** How an error names it when it does not name it by its place. */
  words?: RegExp;
  /** Only the words tell: errors of other causes name this place too. */
  byWords?: true;
  /** What is sent in its place, the next best first. After the last it is left out. */
  instead?: readonly {
    path: string;
    value(given: unknown, request: ModelRequest, modelId: string): unknown;
  }[];
  /** Places that are left out with it: they ask for the same. */
  also?: readonly string[];
  /** It was what this one request carried, not that it carried any: later requests try again. */
  once?: true;
  /** Hosts that are known to refuse it: there the next best is sent from the start. */
  hosts?: RegExp;
}

export interface Refusal {
  status: number;
  message: string;
  param: string | null;
  code: string | null;
}

/** How often each option was refused. */
type Levels = Map<RefusableOption, number>;

/** Who starts runs names models, also such as there are none. */
const MODELS_KEPT = 200;

export interface RefusableRequest {
  /** The body as far as the model is known to take it. */
  readonly body: Body;
  /** True when the refusal names an option that the body carried: sending it again is worth it. */
  learn(refusal: Refusal): boolean;
}

/** What an endpoint was found not to take, by model. Lives as long as the worker process. */
export class RefusedOptions {
  readonly #endpoint: string;
  readonly #table: readonly RefusableOption[];
  readonly #known = new LRUCache<string, Levels>({ max: MODELS_KEPT });
  readonly #atOnce: readonly RefusableOption[];

  constructor(table: readonly RefusableOption[], { endpoint, host }: { endpoint: string; host: string }) {
    this.#endpoint = endpoint;
    this.#table = table;
    this.#atOnce = table.filter(option => option.hosts?.test(host));
  }

  /** `wanted`: the body that would be best. */
  request(request: ModelRequest, wanted: Body): RefusableRequest {
    const known: Levels =
      this.#known.get(request.model) ?? new Map(this.#atOnce.map(option => [option, 1] as const));
    this.#known.set(request.model, known);
    const own: Levels = new Map();
    const levelsOf = (option: RefusableOption) => (option.once ? own : known);
    const levelOf = (option: RefusableOption) => levelsOf(option).get(option) ?? 0;
    const modelId = `${this.#endpoint}/${request.model}`;
    const table = this.#table;
    return {
      get body() {
        let body = wanted;
        for (const option of table) {
          const level = levelOf(option);
          const given = at(body, option.path);
          if (level === 0 || given === undefined) continue;
          const next = option.instead?.[level - 1];
          body = put(body, option.path, undefined);
          if (next) body = put(body, next.path, next.value(given, request, modelId));
          for (const path of option.also ?? []) body = put(body, path, undefined);
        }
        return body;
      },
      learn(refusal) {
        const option = table.find(candidate => {
          if (at(wanted, candidate.path) === undefined) return false;
          const path = pathAt(candidate, levelOf(candidate));
          return path !== null && names(refusal, path, candidate);
        });
        if (option) levelsOf(option).set(option, levelOf(option) + 1);
        return option !== undefined;
      },
    };
  }
}

/** Where the option stands in the body as it was sent after so many refusals; null when it is not there. */
function pathAt({ path, instead = [], byWords }: RefusableOption, level: number): string | null {
  // What only its words tell of can't be left out: a conversation.
  if (byWords && level >= instead.length) return null;
  return level === 0 ? path : (instead[level - 1]?.path ?? null);
}

function names(refusal: Refusal, path: string, { words, byWords }: RefusableOption): boolean {
  const { status, message, param, code } = refusal;
  if (words?.test(`${message} ${code ?? ''}`)) return true;
  // Chat templates that fail are faults of the server: what else is wrong there, nothing can be learnt from.
  if (byWords || status >= 500) return false;
  if (param !== null && (isWithin(param, path) || isWithin(path, param))) return true;
  // "Use 'max_completion_tokens' instead of 'max_tokens'" names both: the one after "use" is the cure.
  const blamed = message.replace(/\buse ['"`]?\w+['"`]?/gi, '');
  return new RegExp(`\\b${path.replaceAll('.', '\\.')}\\b`).test(blamed);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

function at(body: Body, path: string): unknown {
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
