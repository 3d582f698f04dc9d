/**
 * Checks tool arguments against a tool's JSON Schema, with errors a model can act on (T6, C4). The schema is a
 * server's and the arguments are a model's: together they may be made to take for ever.
 */
import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { stringOr } from '../../core/text/json.js';
import { headChars } from '../../core/text/large-text.js';
import { type JsonSchema, withoutDefaulted } from '../../core/tools/tool.js';

const MAX_ERRORS = 10;
const MAX_SHOWN_CHARS = 80;
/** Of one sentence: names and values that a schema knows may be long, and many. */
const MAX_ERROR_CHARS = 500;
/** For compiling a schema, and for one check: honest ones take a few milliseconds. */
const MAX_MS = 1_000;

interface Compiled {
  /** `null` for schemas that can not be compiled, or not be followed. */
  validate: ValidateFunction | null;
  /** Its checks take a time that the size of the arguments bounds. */
  quick: boolean;
}

/** Keyed by their text: schemas arrive as fresh copies, the same one again within a thread or a connection. */
const compiled = new LRUCache<string, Compiled>({ max: 500 });
const known = new WeakMap<JsonSchema, Compiled>();

/** True where arguments can be checked: an object schema that compiles and says anything about its properties. */
export function isUsableSchema(schema: unknown): schema is JsonSchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false;
  const says = Object.keys(schema).some(
    key => !['type', '$schema', 'title', 'description', '$id'].includes(key),
  );
  return says && entryOf(schema as JsonSchema).validate !== null;
}

/**
 * What is wrong with `args`, one sentence for each fault (at most 10), naming path, what was expected and what
 * was given. Empty when valid, or when the schema can not be compiled or followed: then the server is the judge.
 */
export function validateArguments(schema: JsonSchema, args: Record<string, unknown>): string[] {
  const entry = entryOf(schema);
  const { validate } = entry;
  if (!validate) return [];
  try {
    const check = () => validate(args);
    if (entry.quick ? check() : bounded(check)) return [];
  } catch {
    // A pattern that tries for ever, a reference to itself: it is not asked again.
    entry.validate = null;
    return [];
  }
  const errors = validate.errors ?? [];
  // A failed `anyOf` reports its every branch and then itself: the branches say more.
  const telling = errors.filter(error => !['if', 'anyOf', 'oneOf'].includes(error.keyword));
  const lines = (telling.length > 0 ? telling : errors).map(error =>
    headChars(describe(error), MAX_ERROR_CHARS),
  );
  return [...new Set(lines)].slice(0, MAX_ERRORS);
}

function entryOf(schema: JsonSchema): Compiled {
  const met = known.get(schema);
  if (met) return met;
  const text = JSON.stringify(schema);
  const entry = compiled.get(text) ?? { validate: tryCompile(schema), quick: isQuick(text) };
  compiled.set(text, entry);
  known.set(schema, entry);
  return entry;
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

/** A fresh instance each: ajv keeps every schema it has seen for ever, and refuses an `$id` it knows. */
function tryCompile(schema: JsonSchema): ValidateFunction | null {
  const options = {
    strict: false,
    allErrors: true,
    verbose: true,
    validateSchema: false,
    validateFormats: false,
    logger: false,
  } as const;
  const isOld = /draft-0[467]/.test(stringOr(schema.$schema, ''));
  // An asynchronous check, ajv's own idea, would answer with a promise: that of no fault, and of a crash.
  const { $schema: _dialect, $async: _idea, ...body } = schema;
  for (const Dialect of isOld ? [Ajv, Ajv2020] : [Ajv2020, Ajv]) {
    try {
      return bounded(() => new Dialect(options).compile(withoutDefaulted(body)));
    } catch {
      // The other dialect may know it.
    }
  }
  return null;
}

function describe(error: ErrorObject): string {
  const path = error.instancePath === '' ? 'the arguments' : error.instancePath.slice(1).replaceAll('/', '.');
  const { params, data } = error;
  switch (error.keyword) {
    case 'required':
      return `${path}: the required property "${params.missingProperty}" is missing`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = params.additionalProperty ?? params.unevaluatedProperty;
      return `${path}: unknown property "${unknown}"${knownProperties(error.parentSchema)}`;
    }
    case 'type':
      return `${path}: expected ${[params.type].flat().join(' or ')}, got ${show(data)}`;
    case 'enum':
      return `${path}: expected one of ${params.allowedValues.map(show).join(', ')}, got ${show(data)}`;
    case 'const':
      return `${path}: expected ${show(params.allowedValue)}, got ${show(data)}`;
    default:
      return `${path}: ${error.message ?? error.keyword}, got ${show(data)}`;
  }
}

function knownProperties(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return '';
  const names = Object.keys(schema.properties ?? {});
  return names.length === 0 ? '' : `; known: ${names.slice(0, 20).join(', ')}`;
}

function show(value: unknown): string {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const text = JSON.stringify(value) ?? 'nothing';
  const short = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  return kind === 'null' ? 'null' : `${kind} ${short}`;
}
