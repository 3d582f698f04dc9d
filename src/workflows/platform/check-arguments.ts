/**
 * Checks arguments that a person edited at a gate, before the answer is accepted (PR8). An interpreter of schemas,
 * for workflow code may not generate code; the tool activity checks every call again with its own.
 */
import { type Schema, Validator } from '@cfworker/json-schema';
import { isRecord, stringOr } from '../../core/json.js';
import { type JsonSchema, withoutDefaulted } from '../../core/tools/tool.js';
import { isTooMuchWork } from './schema-work.js';

const MAX_ERRORS = 10;

/** Keywords whose error only says that one of another keyword lies below. */
const WRAPPERS = [
  ...['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems', 'additionalItems'],
  ...['$ref', '$recursiveRef', 'allOf', 'if', 'then', 'else', 'dependentSchemas', 'contains'],
];

/** What is wrong, one sentence for each fault; empty when valid, or when the schema can not be read. */
export function argumentFaults(schema: JsonSchema, args: Record<string, unknown>): string[] {
  // Nothing here can end a check that goes on for ever, and the run would hang: the tool activity can.
  if (hasPatterns(schema) || isTooMuchWork(schema, args)) return [];
  const errors = errorsOf(schema, args);
  const telling = errors.filter(({ keyword }) => !WRAPPERS.includes(keyword));
  const lines = (telling.length > 0 ? telling : errors).map(({ instanceLocation, error }) => {
    const path = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
    return `${path === '' ? 'the arguments' : path}: ${error}`;
  });
  return [...new Set(lines)].slice(0, MAX_ERRORS);
}

function errorsOf(schema: JsonSchema, args: Record<string, unknown>) {
  const draft = /draft-0?([47])/.exec(stringOr(schema.$schema, ''))?.[1];
  try {
    // Its body has the one form that JSON Schema has; the type lists the known keywords.
    const body = withoutFormats(withoutDefaulted(schema)) as Schema;
    const validator = new Validator(body, draft === '4' ? '4' : draft === '7' ? '7' : '2020-12', false);
    return validator.validate(args).errors;
  } catch {
    return [];
  }
}

/** Formats are a remark for the reader, as in the tool activity: servers differ in what they take for an address. */
function withoutFormats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormats);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key, inner]) => key !== 'format' || isRecord(inner));
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, key === 'const' || key === 'enum' ? inner : withoutFormats(inner)]),
  );
}

/** Whether a schema has patterns. Those of a server may try for ever; a property of that name has a schema. */
function hasPatterns(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => {
    if (key === 'pattern' ? typeof inner === 'string' : key === 'patternProperties') return true;
    return hasPatterns(inner);
  });
}
