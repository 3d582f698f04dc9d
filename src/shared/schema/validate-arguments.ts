/**
 * Checks tool arguments against a tool's JSON Schema, with errors a model can act on (T6, C4). The schema is a
 * server's and the arguments are a model's: together they may be made to take for ever.
 */
import { createContext, Script } from 'node:vm';
import { type Schema, Validator } from '@cfworker/json-schema';
import { LRUCache } from 'lru-cache';
import { isRecord } from '../../core/text/json.js';
import { schemaFaults, targetOf } from '../../core/text/schema-faults.js';
import type { JsonSchema } from '../../core/tools/tool.js';

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
  return says && isSound(schema, schema) && !hopeless.has(JSON.stringify(schema));
}

/**
 * What is wrong with `args`, one sentence for each fault (at most 10), naming path, what was expected and what
 * was given. Empty when valid, or when the schema can not be followed: then the server is the judge.
 */
export function validateArguments(schema: JsonSchema, args: Record<string, unknown>): string[] {
  const text = JSON.stringify(schema);
  if (hopeless.has(text) || !isSound(schema, schema)) return [];
  const check = () =>
    schemaFaults(
      schema,
      args,
      (body, draft, value) => new Validator(body as Schema, draft, false).validate(value).errors,
    );
  try {
    return isQuick(text) ? check() : bounded(check);
  } catch {
    // A pattern that tries for ever, a reference to itself.
    hopeless.set(text, true);
    return [];
  }
}

const TYPES: readonly unknown[] = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
/** Their members are data, or schemas by names of their own. */
const DATA: readonly string[] = ['const', 'enum', 'default', 'examples'];

/** Whether each type is known and each reference leads somewhere: no value fits a type that nobody knows. */
function isSound(root: JsonSchema, node: unknown): boolean {
  if (Array.isArray(node)) return node.every(each => isSound(root, each));
  if (!isRecord(node)) return true;
  return Object.entries(node).every(([key, inner]) => {
    if (key === 'type' && !isRecord(inner)) return [inner].flat().every(type => TYPES.includes(type));
    if (key === '$ref' && !isRecord(inner)) return targetOf(root, inner) !== undefined;
    return DATA.includes(key) || isSound(root, inner);
  });
}

/** What can make a check go on for ever, or as long as the square of what it looks at. */
const SLOW_KEYWORD = /"(pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)"/;
const MOST_QUICK_CHARS = 20_000;

/** A limit of time costs a thread each time, and most schemas need none. */
function isQuick(schemaText: string): boolean {
  return schemaText.length <= MOST_QUICK_CHARS && !SLOW_KEYWORD.test(schemaText);
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
