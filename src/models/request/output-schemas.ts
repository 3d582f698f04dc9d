/** JSON schemas of the role outputs, for endpoints that can be held to one: one for each contract in each dialect. */

import type { JsonSchema } from '../../base/json/json.js';
import { fieldsInDialect, flatFields } from '../../rules/outputs/parse-output.js';
import type { ModelRequestHead } from '../../rules/prompts/model-request.js';
import type { OutputContract } from '../../run/outputs/contracts.js';
import type { Dialect } from '../../run/outputs/envelope.js';
import { closedObject } from '../../run/outputs/fields.js';

/** The schema of a contract in a dialect; null for free text. */
export function outputSchema(contract: OutputContract, dialect: Dialect): JsonSchema | null {
  return contract === 'text' ? null : closedObject(fieldsInDialect(contract, dialect));
}

/**
 * The schema that a request holds its reply to. None where it shares its prefix: endpoints put a schema before all
 * else, so with one for each role none would find the conversation known that another has left.
 */
export function schemaOf({
  prefix,
  output,
  dialect,
}: Pick<ModelRequestHead, 'prefix' | 'output' | 'dialect'>): JsonSchema | null {
  return prefix === 'shared' ? null : outputSchema(output, dialect);
}

const COMMON_FIELDS: readonly string[] = ['summary', 'reason', 'action'];

/** Names of the flat fields that tell a contract's object from any other JSON; empty for free text. */
export function outputFields(contract: OutputContract): string[] {
  if (contract === 'text') return [];
  return ['component', ...Object.keys(flatFields(contract)).filter(name => !COMMON_FIELDS.includes(name))];
}
