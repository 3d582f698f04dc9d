/**
 * Checks arguments that a person edited at a gate, before the answer is accepted (PR8). It interprets the schema, because
 * workflow code may not generate code; the tool activity checks every call again with its own validator.
 */

import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord } from '../../base/json/json.js';
import { REF, schemaFaults, targetOf, throughSchemas } from '../../base/text/schema-faults.js';

/**
 * Returns one sentence for each fault; empty if valid, or if the schema cannot be followed. Patterns are left to the worker
 * that runs the call, or to the server that asked for the form.
 */
export function argumentFaults(given: JsonSchema, args: Record<string, unknown>): string[] {
  const schema = withoutPatterns(given);
  // An endless check would hang the run here; the tool activity can end one.
  if (isTooMuchWork(schema, args)) return [];
  try {
    return schemaFaults(
      schema,
      args,
      // The cast is safe: a schema has one form, and the type only lists the known keywords.
      ({ schema: body, draft, value, onlyFirst }) =>
        new Validator(body as Schema, draft, onlyFirst).validate(value).errors,
    );
  } catch {
    return [];
  }
}

/** Keywords whose schemas keep their patterns: without them, the outer schema would accept less or mean another thing. */
const AS_WRITTEN: readonly string[] = ['not', 'if', 'oneOf', 'contains', 'patternProperties'];

/** Removes patterns where that only makes the schema accept more. A server's pattern may take forever to match. */
function withoutPatterns(schema: JsonSchema): JsonSchema {
  let refers = false;
  const without = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(without);
    if (!isRecord(node)) return node;
    const entries = Object.entries(node).filter(
      ([key, value]) => key !== 'pattern' || typeof value !== 'string',
    );
    return Object.fromEntries(
      entries.map(([key, value]) => {
        if (!AS_WRITTEN.includes(key)) return [key, throughSchemas(key, value, without)];
        // A schema that it refers to would have lost its patterns too.
        refers ||= REF.test(JSON.stringify(value));
        return [key, value];
      }),
    );
  };
  const made = without(schema) as JsonSchema;
  return refers ? schema : made;
}

// Estimates the work of checking arguments. Each reference may lead to two others, and each of those to two more: a schema of a
// few lines can take forever, and a workflow cannot end such a check.

/** Most schema visits for all values together: a few tenths of a second. */
const MOST_WORK = 300_000;

const TOO_MUCH = Number.POSITIVE_INFINITY;

/** Keywords whose members are schemas under arbitrary names. */
const MAPS: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'];
/** Keywords about the members of a value. */
const WITHIN: readonly string[] = [
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
];
const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Keywords without schemas, or with schemas that only references reach. */
const APART: readonly string[] = ['$defs', 'definitions', 'enum', 'const', 'default', 'examples'];

/** True if the check may take longer than a workflow task has. */
function isTooMuchWork(schema: JsonSchema, args: Record<string, unknown>): boolean {
  const { depth, count } = sizeOf(args);
  return schemasFrom(schema, schema, depth, new Map()) * count > MOST_WORK;
}

/** Returns how many schemas a check visits for a value with one nested value at each of `depth` levels. */
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
  // A node that is met again before it is counted leads back to itself.
  known.set(node, counts.set(depth, TOO_MUCH));
  let sum = 1;
  for (const [key, inner] of Object.entries(node)) {
    // A server's pattern may take forever to match.
    if (key === 'patternProperties' || (key === 'pattern' && typeof inner === 'string')) return TOO_MUCH;
    // A value is compared with each member of an enum.
    if (key === 'enum' && Array.isArray(inner)) sum += inner.length;
    // A reference that is not found counts as the root, which leads back to itself.
    if (REFERENCES.includes(key)) sum += schemasFrom(root, targetOf(root, inner) ?? root, depth, known);
    else if (!APART.includes(key)) {
      const members = MAPS.includes(key) && isRecord(inner) ? Object.values(inner) : [inner];
      const left = WITHIN.includes(key) ? depth - 1 : depth;
      for (const member of members) sum += schemasFrom(root, member, left, known);
    }
  }
  counts.set(depth, sum);
  return sum;
}

function sizeOf(value: unknown): { depth: number; count: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, count: 1 };
  const sizes = Object.values(value).map(sizeOf);
  return {
    depth: 1 + sizes.reduce((most, { depth }) => Math.max(most, depth), 0),
    count: 1 + sizes.reduce((sum, { count }) => sum + count, 0),
  };
}
