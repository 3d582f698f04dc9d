/**
 * Checks tool arguments against a tool's JSON Schema, with errors a model can act on (T6, C4). The schema is a
 * server's and the arguments are a model's: together they may be made to take for ever.
 */
import { createContext, Script } from 'node:vm';
import { type Schema, Validator } from '@cfworker/json-schema';
import { LRUCache } from 'lru-cache';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord } from '../../base/json/json.js';
import { type Interpreter, isSound, schemaFaults } from '../../base/text/schema-faults.js';

/** For one check: honest ones take a few milliseconds. */
const MAX_MS = 1_000;

/** Texts of schemas that could not be followed: they are not tried again. */
const hopeless = new LRUCache<string, true>({ max: 500 });

/** True where arguments can be checked: an object schema that can be followed and says anything about its properties. */
export function isUsableSchema(schema: unknown): schema is JsonSchema {
  if (!isRecord(schema)) return false;
  const says = Object.keys(schema).some(
    key => !['type', '$schema', 'title', 'description', '$id'].includes(key),
  );
  return says && isSound(schema) && !hopeless.has(JSON.stringify(schema));
}

/**
 * What is wrong with `args`, one sentence for each fault (at most 10), naming path, what was expected and what
 * was given. Empty when valid, or when the schema can not be followed: then the server is the judge.
 */
export function validateArguments(schema: JsonSchema, args: Record<string, unknown>): string[] {
  // One that nests deeper than the stack has no text.
  if (!isSound(schema)) return [];
  const text = JSON.stringify(schema);
  if (hopeless.has(text)) return [];
  const size = JSON.stringify(args).length;
  const check = () => schemaFaults(schema, args, interpret);
  try {
    return isQuick(text, size) ? check() : bounded(check);
  } catch {
    if (size > MOST_USUAL_CHARS) return firstFault(schema, args);
    // A pattern that tries for ever, a reference to itself.
    hopeless.set(text, true);
    return [];
  }
}

/** As `validateArguments`, of any value; null where nobody can tell. */
export function faultsOf(schema: JsonSchema, value: unknown): string[] | null {
  if (!isSound(schema)) return null;
  try {
    return bounded(() => schemaFaults(schema, value, interpret));
  } catch {
    return null;
  }
}

/** Whether a regular expression finds something; `^` and `$` are of a line. Null where it takes too long. */
export function matchesText(pattern: string, text: string): boolean | null {
  try {
    return bounded(() => new RegExp(pattern, 'm').test(text));
  } catch {
    return null;
  }
}

/** Of arguments that may themselves be what takes so long: the schema is tried again with the next ones. */
function firstFault(schema: JsonSchema, args: Record<string, unknown>): string[] {
  try {
    return bounded(() => schemaFaults(schema, args, asked => interpret({ ...asked, onlyFirst: true })));
  } catch {
    return [];
  }
}

const interpret: Interpreter = ({ schema, draft, value, onlyFirst }) =>
  // The body has the one form that JSON Schema has; the type lists the known keywords.
  new Validator(schema as Schema, draft, onlyFirst).validate(value).errors;

/** What can make a check go on for ever, or as long as the square of what it looks at. */
const SLOW_KEYWORD = /"(pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)"/;
const MOST_QUICK_CHARS = 20_000;
/** Of the schema and the arguments, multiplied: each value may be compared with each of a list. */
const MOST_QUICK_WORK = 10_000_000;
const MOST_USUAL_CHARS = 100_000;

/** A limit of time costs a thread each time, and most schemas need none. */
function isQuick(text: string, size: number): boolean {
  if (text.length > MOST_QUICK_CHARS || text.length * size > MOST_QUICK_WORK) return false;
  return !SLOW_KEYWORD.test(text);
}

const doing = createContext({ work: null });
const doWork = new Script('work()');

/** Does the work, of whatever realm, within its time: nothing else ends a regular expression. @throws */
function bounded<T>(work: () => T): T {
  doing.work = work;
  try {
    return doWork.runInContext(doing, { timeout: MAX_MS }) as T;
  } finally {
    doing.work = null;
  }
}
