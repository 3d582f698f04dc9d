/** JSON schemas of the role outputs, for endpoints that can be bound to one: one per contract and dialect. */

import type { JsonSchema } from '../../base/json/json.js';
import { fieldsInDialect, flatFields } from '../../rules/outputs/parse-output.js';
import type { ModelRequestHead } from '../../rules/prompts/model-request.js';
import type { OutputContract } from '../../run/outputs/contracts.js';
import type { Dialect } from '../../run/outputs/envelope.js';
import { closedObject } from '../../run/outputs/fields.js';
import type { ModelRequest } from '../provider/provider.js';
import { isStrictSchema } from './strict-schema.js';

/** Returns the schema of a contract in a dialect; null for free text. */
export function outputSchema(contract: OutputContract, dialect: Dialect): JsonSchema | null {
  return contract === 'text' ? null : closedObject(fieldsInDialect(contract, dialect));
}

/**
 * Returns the schema that a request binds its reply to; null if there is none, or if other roles share the request's
 * prefix. Endpoints put a schema before everything else, so a schema for each role would keep roles from sharing a
 * cached conversation. A typed answer's schema is worth that cost, because only the last reply has one.
 */
export function schemaOf({
  prefix,
  output,
  dialect,
  schema,
}: Pick<ModelRequestHead, 'prefix' | 'output' | 'dialect' | 'schema'>): BoundTo | null {
  if (schema !== undefined) {
    const { $schema: _dialect, ...body } = schema;
    return { name: 'answer', schema: body, strict: isStrictSchema(body), beside: true };
  }
  const ofContract = prefix === 'shared' ? null : outputSchema(output, dialect);
  return ofContract && { name: output, schema: ofContract, strict: true, beside: false };
}

/** Returns true or null, for a field of a request's body. */
export function wantsJson({ format }: Pick<ModelRequest, 'format'>): true | null {
  return format === 'json' ? true : null;
}

export interface BoundTo {
  name: string;
  schema: JsonSchema;
  /** True if every endpoint that binds replies accepts it unchanged. */
  strict: boolean;
  /** It also binds a reply to a request with tools, because that reply may not call any. */
  beside: boolean;
}

const COMMON_FIELDS: readonly string[] = ['summary', 'reason', 'action'];

/** Returns the names of the fields that distinguish a contract's object from other JSON; empty for free text. */
export function outputFields(contract: OutputContract): string[] {
  if (contract === 'text') return [];
  return ['component', ...Object.keys(flatFields(contract)).filter(name => !COMMON_FIELDS.includes(name))];
}
