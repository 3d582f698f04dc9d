/** JSON schemas of the role outputs, for endpoints that can be bound to one: one per contract and dialect. */

import type { JsonSchema } from '../../base/json/json.js';
import { fieldsInDialect, flatFields } from '../../rules/outputs/parse-output.js';
import type { ModelRequestHead } from '../../rules/prompts/model-request.js';
import type { OutputContract } from '../../run/outputs/contracts.js';
import type { Dialect } from '../../run/outputs/envelope.js';
import { closedObject } from '../../run/outputs/fields.js';

/** Returns the schema of a contract in a dialect; null for free text. */
export function outputSchema(contract: OutputContract, dialect: Dialect): JsonSchema | null {
  return contract === 'text' ? null : closedObject(fieldsInDialect(contract, dialect));
}

/**
 * Returns the schema that a request binds its reply to; null if it shares its prefix. Endpoints put a schema before
 * everything else, so a schema per role would keep roles from sharing a cached conversation.
 */
export function schemaOf({
  prefix,
  output,
  dialect,
}: Pick<ModelRequestHead, 'prefix' | 'output' | 'dialect'>): JsonSchema | null {
  return prefix === 'shared' ? null : outputSchema(output, dialect);
}

const COMMON_FIELDS: readonly string[] = ['summary', 'reason', 'action'];

/** Returns the names of the fields that distinguish a contract's object from other JSON; empty for free text. */
export function outputFields(contract: OutputContract): string[] {
  if (contract === 'text') return [];
  return ['component', ...Object.keys(flatFields(contract)).filter(name => !COMMON_FIELDS.includes(name))];
}
