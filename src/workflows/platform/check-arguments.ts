/**
 * Checks arguments that a person edited at a gate, before the answer is accepted (PR8). An interpreter of schemas,
 * for workflow code may not generate code; the tool activity checks every call again with its own.
 */

import { type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord } from '../../base/json/json.js';
import { REF, schemaFaults, targetOf, throughSchemas } from '../../base/text/schema-faults.js';

/**
 * What is wrong, one sentence for each fault; empty when valid, or when the schema can not be followed. Patterns are
 * left to whoever runs the call or asked for the form.
 */
export function argumentFaults(given: JsonSchema, args: Record<string, unknown>): string[] {
  const schema = withoutPatterns(given);
  // Nothing here can end a check that goes on for ever, and the run would hang: the tool activity can.
  if (isTooMuchWork(schema, args)) return [];
  try {
    return schemaFaults(
      schema,
      args,
      // The body has the one form that JSON Schema has; the type lists the known keywords.
      ({ schema: body, draft, value, onlyFirst }) =>
        new Validator(body as Schema, draft, onlyFirst).validate(value).errors,
    );
  } catch {
    return [];
  }
}

/** Below them a schema that takes more makes the one around it take less, or it is told by patterns what it is about. */
const AS_WRITTEN: readonly string[] = ['not', 'if', 'oneOf', 'contains', 'patternProperties'];

/** The schema without its patterns, as far as it takes no less for that: one of a server may try for ever. */
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
        // What it refers to would have lost its patterns too.
        refers ||= REF.test(JSON.stringify(value));
        return [key, value];
      }),
    );
  };
  const made = without(schema) as JsonSchema;
  return refers ? schema : made;
}

// How much work a check of arguments is. References may name two others each, and these two others each: a schema of
// a few lines that takes for ever, which nothing in a workflow can end.

/** Schemas looked at, for each value in the arguments, all together: some tenths of a second. */
const MOST_WORK = 300_000;

const TOO_MUCH = Number.POSITIVE_INFINITY;

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
  known.set(node, counts.set(depth, TOO_MUCH));
  let sum = 1;
  for (const [key, inner] of Object.entries(node)) {
    // One of a server may try for ever.
    if (key === 'patternProperties' || (key === 'pattern' && typeof inner === 'string')) return TOO_MUCH;
    // Where it is not found below the root, the whole is taken for it: that leads back to itself.
    // A value is compared with each of them.
    if (key === 'enum' && Array.isArray(inner)) sum += inner.length;
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
