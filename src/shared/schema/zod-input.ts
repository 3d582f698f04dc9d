/** Converts zod schemas of tool arguments to JSON Schema, for models. */
import { z } from 'zod';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord } from '../../base/json/json.js';

/** True for any zod 4 schema, even from another copy of zod, which a program may have installed. */
export function isZod(input: unknown): input is z.ZodType {
  return isRecord(input) && '_zod' in input;
}

/** Returns the JSON schema of the input, before defaults and transforms, without its dialect, which models do not need. */
export function schemaOfInput(input: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema as JsonSchema;
}
