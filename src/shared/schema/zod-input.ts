/** Arguments of tools as zod describes them: for the model as JSON Schema. */
import { z } from 'zod';
import type { JsonSchema } from '../../base/json/json.js';
import { isRecord } from '../../base/json/json.js';

/** Also of another copy of zod 4, which a program may have beside ours. */
export function isZod(input: unknown): input is z.ZodType {
  return isRecord(input) && '_zod' in input;
}

/** The schema of what goes in, before defaults and transforms. Its dialect is left out: models have no use for it. */
export function schemaOfInput(input: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema as JsonSchema;
}
