/**
 * How much work a check of arguments is. References may name two others each, and these two others each: a schema of
 * a few lines that takes for ever, which nothing in a workflow can end.
 */
import { isRecord } from '../../core/json.js';
import type { JsonSchema } from '../../core/tools/tool.js';

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
export function isTooMuchWork(schema: JsonSchema, args: Record<string, unknown>): boolean {
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
