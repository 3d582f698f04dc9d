/**
 * Validates tool arguments against a tool's JSON Schema, with errors that a model can act on (T6, C4). The schema comes
 * from a server and the arguments from a model, so together they may be crafted to take forever.
 */
import { createContext, Script } from 'node:vm';
import { dereference, type Schema, Validator } from '@cfworker/json-schema';
import { LRUCache } from 'lru-cache';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord, isText } from '../../base/json/json.js';
import { type Interpreter, isSound, type Judged, schemaFaults } from '../../base/text/schema-faults.js';

/** Limit for one check; normal checks take a few milliseconds. */
const MAX_MS = 1_000;

/** Texts of schemas that could not be evaluated; they are not tried again. */
const hopeless = new LRUCache<string, true>({ max: 500 });

/** True if arguments can be validated: an object schema that can be evaluated and that constrains its properties. */
export function isUsableSchema(schema: unknown): schema is JsonSchema {
  if (!isRecord(schema)) return false;
  const says = Object.keys(schema).some(
    key => !['type', '$schema', 'title', 'description', '$id'].includes(key),
  );
  return says && isSound(schema) && !hopeless.has(JSON.stringify(schema));
}

/**
 * Returns the faults of `args`, at most 10, one sentence each: path, expected value, actual value. Empty if they are
 * valid, or if the schema can't be evaluated; the server then decides.
 */
export function validateArguments(schema: JsonSchema, args: Record<string, unknown>): string[] {
  // A schema that nests deeper than the stack can't be serialised.
  if (!isSound(schema)) return [];
  const text = JSON.stringify(schema);
  if (hopeless.has(text)) return [];
  const size = JSON.stringify(args).length;
  const check = () => schemaFaults(schema, args, interpret);
  try {
    return isQuick(text, size) ? check() : bounded(check);
  } catch {
    if (size > MOST_USUAL_CHARS) return firstFault(schema, args);
    // The cause is a pattern that never finishes, or a reference to itself.
    hopeless.set(text, true);
    return [];
  }
}

/** Like `validateArguments`, for any value; null if the value can't be judged. */
export function faultsOf(schema: JsonSchema, value: unknown, judged: Judged = {}): string[] | null {
  if (!isSound(schema)) return null;
  try {
    return bounded(() => schemaFaults(schema, value, interpret, judged));
  } catch {
    return null;
  }
}

/** True if a reference of the schema leads to none of its parts: no value of that place could be judged. */
export function leadsNowhere(schema: JsonSchema): boolean {
  // The interpreter notes on each part where its reference leads.
  const parts = dereference(structuredClone(schema) as Schema);
  return Object.values(parts).some(part => {
    const leadsTo = isRecord(part) ? part.__absolute_ref__ : undefined;
    return isText(leadsTo) && parts[leadsTo] === undefined;
  });
}

/** Keywords whose schemas apply to the same value. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/**
 * Returns the place of a reference that comes back to itself without a step into the value, such as `#/$defs/name`; null
 * if there is none. To judge a value of that place would never end.
 */
export function endlessPlace(schema: JsonSchema): string | null {
  const parts = dereference(structuredClone(schema) as Schema);
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  const endless = (part: unknown): string | null => {
    if (!isRecord(part) || done.has(part)) return null;
    if (open.has(part)) return new URL(String(part.__absolute_uri__)).hash || '#';
    open.add(part);
    const leadsTo = isText(part.__absolute_ref__) ? parts[part.__absolute_ref__] : undefined;
    const dependent = isRecord(part.dependentSchemas) ? Object.values(part.dependentSchemas) : [];
    const found = firstOf([leadsTo, ...dependent, ...SAME_VALUE.flatMap(key => part[key])], endless);
    open.delete(part);
    done.add(part);
    return found;
  };
  return firstOf(Object.values(parts), endless);
}

function firstOf(parts: readonly unknown[], find: (part: unknown) => string | null): string | null {
  for (const part of parts) {
    const found = find(part);
    if (found !== null) return found;
  }
  return null;
}

/** True if a regular expression matches; `^` and `$` match at lines. Null if it takes too long. */
export function matchesText(pattern: string, text: string): boolean | null {
  try {
    return bounded(() => new RegExp(pattern, 'm').test(text));
  } catch {
    return null;
  }
}

/** Returns the first fault. Large arguments may be the cause of the delay, so the schema is tried again with the next. */
function firstFault(schema: JsonSchema, args: Record<string, unknown>): string[] {
  try {
    return bounded(() => schemaFaults(schema, args, asked => interpret({ ...asked, onlyFirst: true })));
  } catch {
    return [];
  }
}

const interpret: Interpreter = ({ schema, draft, value, onlyFirst }) =>
  // The cast is safe: a schema has one form, and the type only lists the known keywords.
  new Validator(schema as Schema, draft, onlyFirst).validate(value).errors;

/** Keywords that can make a check run forever, or in quadratic time. */
const SLOW_KEYWORD = /"(pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)"/;
const MOST_QUICK_CHARS = 20_000;
/** Limit for the schema's size times the arguments' size: each value may be compared with each entry of a list. */
const MOST_QUICK_WORK = 10_000_000;
const MOST_USUAL_CHARS = 100_000;

/** True if no time limit is needed. A limit is expensive, because each one takes a thread, and most schemas need none. */
function isQuick(text: string, size: number): boolean {
  if (text.length > MOST_QUICK_CHARS || text.length * size > MOST_QUICK_WORK) return false;
  return !SLOW_KEYWORD.test(text);
}

const doing = createContext({ work: null });
const doWork = new Script('work()');

/** Runs the work, of any realm, within the time limit; there is no other way to stop a regular expression. @throws */
function bounded<T>(work: () => T): T {
  doing.work = work;
  try {
    return doWork.runInContext(doing, { timeout: MAX_MS }) as T;
  } finally {
    doing.work = null;
  }
}
