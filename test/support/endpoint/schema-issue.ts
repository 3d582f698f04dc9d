/** What a schema finds wrong with a request first, in a form that each provider can put in its own words. */
import type { z } from 'zod';

export interface SchemaIssue {
  kind: 'unknown' | 'missing' | 'type' | 'value' | 'too_long' | 'too_short' | 'pattern' | 'other';
  path: PropertyKey[];
  message: string;
  /** Values that are taken, for `value`; the type, for `type`; the pattern, for `pattern`. */
  expected: string;
}

/** Null for a request that fits. */
export function firstIssue(schema: z.ZodType, body: unknown): SchemaIssue | null {
  const { error } = schema.safeParse(body);
  const [issue] = error?.issues ?? [];
  return issue ? toIssue(issue, []) : null;
}

function toIssue(issue: z.core.$ZodIssue, above: PropertyKey[]): SchemaIssue {
  const path = [...above, ...issue.path];
  const base = { path, message: issue.message, expected: '' };
  switch (issue.code) {
    case 'unrecognized_keys':
      return { ...base, kind: 'unknown', path: [...path, ...issue.keys.slice(0, 1)] };
    case 'invalid_type':
      return {
        ...base,
        kind: issue.message.endsWith('undefined') ? 'missing' : 'type',
        expected: issue.expected,
      };
    case 'invalid_value':
      return { ...base, kind: 'value', expected: issue.values.map(value => `'${String(value)}'`).join(', ') };
    case 'invalid_union':
      return deepest(issue.errors, path) ?? { ...base, kind: 'type' };
    case 'too_big':
      return { ...base, kind: 'too_long', expected: String(issue.maximum) };
    case 'too_small':
      return { ...base, kind: 'too_short', expected: String(issue.minimum) };
    case 'invalid_format':
      return { ...base, kind: 'pattern', expected: String(issue.pattern ?? '') };
    default:
      return { ...base, kind: 'other' };
  }
}

/** Of what each branch of a union finds, that of the branch which was meant: the one that fits furthest. */
function deepest(branches: readonly z.core.$ZodIssue[][], above: PropertyKey[]): SchemaIssue | undefined {
  const issues = branches.flatMap(branch => (branch[0] ? [toIssue(branch[0], above)] : []));
  return issues.toSorted((a, b) => b.path.length - a.path.length)[0];
}
