/** The smallest value that a JSON schema allows: for roles whose form the rules do not know. */
import { isRecord } from '../core/json.js';

/** Deeper schemas get null: a schema may refer to itself. */
const MOST_DEPTH = 12;

/** A value for `schema`; texts say `label`. Required fields only; keywords beyond type, enum and const are not met. */
export function minimalValue(schema: unknown, label: string, root: unknown = schema, depth = 0): unknown {
  if (!isRecord(schema) || depth > MOST_DEPTH) return null;
  const inner = (part: unknown) => minimalValue(part, label, root, depth + 1);
  if (typeof schema.$ref === 'string') return inner(resolve(root, schema.$ref));
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  for (const choice of [schema.anyOf, schema.oneOf, schema.allOf])
    if (Array.isArray(choice)) return inner(choice[0]);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return minimalObject(schema, inner);
    case 'array':
      return Array.from({ length: numberOr(schema.minItems, 0) }, () => inner(schema.items));
    case 'string':
      return label;
    case 'number':
    case 'integer':
      return numberOr(schema.minimum, 0);
    case 'boolean':
      return false;
    default:
      return isRecord(schema.properties) ? minimalObject(schema, inner) : null;
  }
}

function minimalObject(
  schema: Record<string, unknown>,
  inner: (part: unknown) => unknown,
): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return Object.fromEntries(required.map(name => [name, inner(properties[name])]));
}

function resolve(root: unknown, ref: string): unknown {
  const steps = ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter(step => step !== '');
  return steps.reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), root);
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
