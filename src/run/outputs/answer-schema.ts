/** The schema of a typed answer, in the forms that programs may pass. */
import { isRecord, type JsonSchema } from '../../base/json/json.js';

/** A schema of a library that converts it to JSON Schema (Standard JSON Schema), such as zod 4.2 or later. */
export interface TypedSchema<T> {
  readonly '~standard': {
    readonly types?: { readonly output: T } | undefined;
    readonly jsonSchema: { output(options: { target: 'draft-2020-12' }): Record<string, unknown> };
  };
}

/** `T`: the type of the value, which a typed schema defines. */
export type AnswerSchema<T = unknown> = JsonSchema | TypedSchema<T>;

/** Returns a typed schema as JSON Schema, anything else unchanged. @throws TypeError if its library can't convert it. */
export function answerSchema(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('~standard' in given)) return given;
  const standard = given['~standard'];
  const { jsonSchema } = isRecord(standard) ? (standard as Partial<TypedSchema<unknown>['~standard']>) : {};
  if (jsonSchema === undefined)
    throw new TypeError(
      'its library cannot convert it to JSON Schema: give a JSON Schema, such as z.toJSONSchema(schema)',
    );
  return jsonSchema.output({ target: 'draft-2020-12' });
}
