/** Tells whether OpenAI can bind calls to a tool's schema without changing it. */
import { isRecord } from '../../base/json/json.js';

/** Keywords of the supported subset: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
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
 * True for an object that only uses these keywords, in which every object is closed and requires all of its fields.
 * Most schemas of tool servers would have to be rewritten for that; their calls are left to our own validation.
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
