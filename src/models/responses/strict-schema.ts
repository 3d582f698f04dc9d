/** Whether a tool's schema is one that OpenAI can hold a call to, as it is. */
import { isRecord } from '../../base/json/json.js';

/** Of the subset: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
]);
const MOST_LEVELS = 8;

/**
 * An object with no other than the known keywords, in which every object is closed and requires all it has. What
 * would have to be rewritten for it, most schemas of tool servers, is left to our own check of the arguments.
 */
export function isStrictSchema(schema: Record<string, unknown>): boolean {
  return schema.type === 'object' && schema.anyOf === undefined && isStrict(schema, MOST_LEVELS);
}

function isStrict(schema: unknown, levels: number): boolean {
  if (!isRecord(schema) || levels === 0) return false;
  if (!Object.keys(schema).every(key => KEYWORDS.has(key))) return false;
  const { type, items, anyOf, properties = {}, required } = schema;
  const inner = [...(items === undefined ? [] : [items]), ...(Array.isArray(anyOf) ? anyOf : [])];
  if (type === 'array' && items === undefined) return false;
  if (type === undefined && anyOf === undefined && schema.enum === undefined && schema.const === undefined)
    return false;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (isObject) {
    if (schema.additionalProperties !== false || !isRecord(properties)) return false;
    const names = Object.keys(properties);
    if (!Array.isArray(required) || !names.every(name => required.includes(name))) return false;
    inner.push(...Object.values(properties));
  }
  return inner.every(one => isStrict(one, levels - 1));
}
