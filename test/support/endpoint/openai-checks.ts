/** What both protocols of OpenAI ask of a request, and how they say what is wrong. */
import { z } from 'zod';
import type { WireError } from '../../../packages/test-kit/scripted-reply.js';
import { isRecord } from '../../../src/base/json/json.js';
import type { SchemaIssue } from './schema-issue.js';

const NAME = /^[a-zA-Z0-9_-]+$/;
/** Names of tools and of formats. */
export const toolName = z.string().min(1).max(64).regex(NAME);
export const jsonSchema = z.record(z.string(), z.unknown());
/** Options that both protocols have. Numbers and texts as published. */
export const sharedOptions = {
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  prompt_cache_key: z.string().max(64).nullish(),
  prompt_cache_options: z
    .strictObject({ mode: z.enum(['implicit', 'explicit']).optional(), ttl: z.literal('30m').optional() })
    .optional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  safety_identifier: z.string().max(64).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  user: z.string().optional(),
};
export const reasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
export const verbosity = z.enum(['low', 'medium', 'high']);
export const breakpoint = {
  prompt_cache_breakpoint: z.strictObject({ mode: z.literal('explicit') }).optional(),
};

/** `messages[0].content` */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, '');
}

/** https://platform.openai.com/docs/guides/error-codes; the words are those of the API. */
export function openAiIssue(issue: SchemaIssue): WireError {
  const param = nameOf(issue.path);
  const [message, code] = wordsOf(issue, param);
  return { status: 400, message, code, param };
}

function wordsOf({ kind, expected, message }: SchemaIssue, param: string): [string, string] {
  switch (kind) {
    case 'unknown':
      return [`Unknown parameter: '${param}'.`, 'unknown_parameter'];
    case 'missing':
      return [`Missing required parameter: '${param}'.`, 'missing_required_parameter'];
    case 'type':
      return [`Invalid type for '${param}': expected ${expected}.`, 'invalid_type'];
    case 'value':
      return [`Invalid value for '${param}'. Supported values are: ${expected}.`, 'invalid_value'];
    case 'too_long':
      return [`Invalid '${param}': too long. Expected a maximum of ${expected}.`, 'string_above_max_length'];
    case 'too_short':
      return [`Invalid '${param}': too short. Expected a minimum of ${expected}.`, 'empty_array'];
    case 'pattern':
      return [
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${expected}'.`,
        'invalid_value',
      ];
    case 'other':
      return [`Invalid '${param}': ${message}`, 'invalid_value'];
  }
}

/**
 * Where a schema breaks the rules of strict mode, in the API's words: every object closed, every property required.
 * https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function strictSchemaFault(schema: unknown, context: string[] = []): string | null {
  if (!isRecord(schema)) return null;
  const where = `In context=(${context.map(part => `'${part}'`).join(', ')})`;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  if (schema.type === 'object' && schema.additionalProperties !== false) {
    return `${where}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = Object.keys(properties).find(name => !required.includes(name));
  if (missing !== undefined) {
    return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  return innerSchemas(schema, properties).reduce<string | null>(
    (found, [name, inner]) => found ?? strictSchemaFault(inner, [...context, ...name]),
    null,
  );
}

function innerSchemas(
  schema: Record<string, unknown>,
  properties: Record<string, unknown>,
): [string[], unknown][] {
  const named = (field: string, given: unknown): [string[], unknown][] =>
    isRecord(given) ? Object.entries(given).map(([name, inner]) => [[field, name], inner]) : [];
  const anyOf = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  return [
    ...named('properties', properties),
    ...named('$defs', schema.$defs),
    [['items'], schema.items],
    ...anyOf.map((inner, index): [string[], unknown] => [['anyOf', String(index)], inner]),
  ];
}

export function openAiModel(id: string): object {
  return { id, object: 'model', created: 0, owned_by: 'steersman' };
}
