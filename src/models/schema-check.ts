/** Checks tool arguments against JSON Schema and says in words what is wrong (C4, T7). */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import type { JsonSchema } from '../core/tool.js';

/** Compiling costs milliseconds, and runs share tools: checks are kept by the schema's text. */
const MAX_KEPT_CHECKS = 500;
const MAX_ERRORS = 5;
const MAX_GOT_CHARS = 60;

type Check = ValidateFunction | 'unusable';

const byText = new LRUCache<string, { check: Check }>({ max: MAX_KEPT_CHECKS });
const byObject = new WeakMap<JsonSchema, Check>();

/**
 * What is wrong with `input`, each with path, expected and got; empty when it is valid, and also when
 * the schema itself can't be used: the tool's own server checks then.
 */
export function schemaErrors(schema: JsonSchema, input: Record<string, unknown>): string[] {
  const check = checkOf(schema);
  if (check === 'unusable' || check(input)) return [];
  const errors = (check.errors ?? []).filter(error => error.keyword !== 'if');
  const words = [...new Set(errors.map(inWords))];
  const more = words.length > MAX_ERRORS ? [`and ${words.length - MAX_ERRORS} more`] : [];
  return [...words.slice(0, MAX_ERRORS), ...more];
}

function checkOf(schema: JsonSchema): Check {
  const known = byObject.get(schema);
  if (known) return known;
  const text = JSON.stringify(schema);
  const check = byText.get(text)?.check ?? compile(schema);
  byText.set(text, { check });
  byObject.set(schema, check);
  return check;
}

function compile(schema: JsonSchema): Check {
  const { $schema: dialect, ...rest } = schema;
  const old = typeof dialect === 'string' && /draft-0[467]/.test(dialect);
  // An instance of its own: a shared one keeps every schema for ever and trips over equal ids.
  const options = {
    strict: false,
    allErrors: true,
    verbose: true,
    validateSchema: false,
    validateFormats: false,
  } as const;
  try {
    return old ? new Ajv(options).compile(rest) : new Ajv2020(options).compile(rest);
  } catch {
    return 'unusable';
  }
}

function inWords(error: ErrorObject): string {
  const path = error.instancePath === '' ? 'arguments' : error.instancePath.slice(1).replaceAll('/', '.');
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'required':
      return `${path}: expected the property "${params.missingProperty}", got none`;
    case 'additionalProperties':
      return `${path}: expected no property "${params.additionalProperty}"`;
    case 'type':
      return `${path}: expected ${[params.type].flat().join(' or ')}, got ${got(error.data)}`;
    case 'enum':
      return `${path}: expected one of ${JSON.stringify(params.allowedValues)}, got ${got(error.data)}`;
    case 'const':
      return `${path}: expected ${JSON.stringify(params.allowedValue)}, got ${got(error.data)}`;
    default:
      return `${path}: ${(error.message ?? `expected ${error.keyword}`).replace(/^must /, 'expected to ')}, got ${got(error.data)}`;
  }
}

function got(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_GOT_CHARS ? `${text.slice(0, MAX_GOT_CHARS)}…` : text;
}
