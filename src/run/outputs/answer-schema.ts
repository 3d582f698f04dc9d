/** The schema of a typed answer, as programs give it. */
import { isRecord, type JsonSchema } from '../../base/json/json.js';

/** A schema of a library that can say it as JSON Schema (Standard JSON Schema), such as one of zod 4.2 or later. */
export interface TypedSchema<T> {
  readonly '~standard': {
    readonly types?: { readonly output: T } | undefined;
    readonly jsonSchema: { output(options: { target: 'draft-2020-12' }): Record<string, unknown> };
  };
}

/** `T` is the type of the value: that of a typed schema. */
export type AnswerSchema<T = unknown> = JsonSchema | TypedSchema<T>;

/** Returns the JSON Schema of what a program gave; anything else as it is. @throws if it can't be said as one */
export function answerSchema(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('~standard' in given)) return given;
  const standard = given['~standard'];
  const { jsonSchema } = isRecord(standard) ? (standard as Partial<TypedSchema<unknown>['~standard']>) : {};
  if (jsonSchema === undefined)
    throw new TypeError(
      'its library does not say it as JSON Schema: give that, such as z.toJSONSchema(schema)',
    );
  return jsonSchema.output({ target: 'draft-2020-12' });
}
