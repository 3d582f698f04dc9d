/**
 * Checks arguments that a person edited at a gate, before the answer is accepted (PR8). An interpreter of schemas,
 * for workflow code may not generate code; the tool activity checks every call again with its own.
 */

import { type Schema, Validator } from '@cfworker/json-schema';
import { isRecord, stringOr } from '../../core/text/json.js';
import { type JsonSchema, withoutDefaulted } from '../../core/tools/tool.js';

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

// How much work a check of arguments is. References may name two others each, and these two others each: a schema of
// a few lines that takes for ever, which nothing in a workflow can end.

/** Schemas looked at, for each value in the arguments, all together: some tenths of a second. */
const MOST_WORK = 300_000;

/** Their members are schemas by names of their own. */
const MAPS: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'];
/** They are about what lies within a value. */
const WITHIN: readonly string[] = [
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
];
const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Looked at where a reference leads there, or no schemas. */
const APART: readonly string[] = ['$defs', 'definitions', 'enum', 'const', 'default', 'examples'];

/** True where the check may go on for longer than a workflow has. */
function isTooMuchWork(schema: JsonSchema, args: Record<string, unknown>): boolean {
  const { depth, count } = sizeOf(args);
  return schemasFrom(schema, schema, depth, new Map()) * count > MOST_WORK;
}

/** How many schemas are looked at for one value and one in each of `depth` levels within it. */
function schemasFrom(
  root: JsonSchema,
  node: unknown,
  depth: number,
  known: Map<unknown, Map<number, number>>,
): number {
  if (typeof node !== 'object' || node === null || depth < 0) return 0;
  const found = known.get(node)?.get(depth);
  if (found !== undefined) return found;
  const counts = known.get(node) ?? new Map<number, number>();
  // Met again before it is counted, it leads back to itself.
  known.set(node, counts.set(depth, Number.POSITIVE_INFINITY));
  let sum = 1;
  for (const [key, inner] of Object.entries(node)) {
    if (REFERENCES.includes(key)) sum += schemasFrom(root, targetOf(root, inner), depth, known);
    else if (!APART.includes(key)) {
      const members = MAPS.includes(key) && isRecord(inner) ? Object.values(inner) : [inner];
      const left = WITHIN.includes(key) ? depth - 1 : depth;
      for (const member of members) sum += schemasFrom(root, member, left, known);
    }
  }
  counts.set(depth, sum);
  return sum;
}

/** Where it is not found as a place below the root, the whole is taken for it: that leads back to itself. */
function targetOf(root: JsonSchema, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return root;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/'))
    at = isRecord(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return at ?? root;
}

function sizeOf(value: unknown): { depth: number; count: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, count: 1 };
  const sizes = Object.values(value).map(sizeOf);
  return {
    depth: 1 + sizes.reduce((most, { depth }) => Math.max(most, depth), 0),
    count: 1 + sizes.reduce((sum, { count }) => sum + count, 0),
  };
}
