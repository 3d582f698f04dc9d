/** The published schema of a Responses request, as far as it is about text, images, reasoning and functions. */
import { z } from 'zod';
import {
  breakpoint,
  jsonSchema,
  reasoningEffort,
  sharedOptions,
  toolName,
  verbosity,
} from '../openai-checks.js';

const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string(), ...breakpoint });
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  detail: z.enum(['low', 'high', 'auto', 'original']).optional(),
  image_url: z.string().nullish(),
  file_id: z.string().nullish(),
  ...breakpoint,
});
const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()).optional(),
  logprobs: z.array(z.unknown()).optional(),
});
const refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });
const status = z.enum(['in_progress', 'completed', 'incomplete']);
/** Ids of items begin with the kind of the item. */
const itemId = (kind: string) =>
  z
    .string()
    .max(64)
    .regex(new RegExp(`^${kind}_`));
const callId = z.string().min(1).max(64);

const said = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'system', 'developer']),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [inputText, inputImage]))]),
  status: status.optional(),
});
/** What the model said: as a text, or as the item that it was. */
const answered = z.strictObject({
  type: z.literal('message').optional(),
  role: z.literal('assistant'),
  id: itemId('msg').optional(),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [outputText, refusal]))]),
  status: status.optional(),
  phase: z.enum(['commentary', 'final_answer']).nullish(),
});
const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id: itemId('rs').optional(),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })).optional(),
  encrypted_content: z.string().nullish(),
  status: status.optional(),
});
const call = z.strictObject({
  type: z.literal('function_call'),
  id: itemId('fc').optional(),
  call_id: callId,
  name: toolName,
  arguments: z.string(),
  status: status.optional(),
});
const output = z.strictObject({
  type: z.literal('function_call_output'),
  id: itemId('fc').nullish(),
  call_id: callId,
  output: z.union([z.string(), z.array(z.discriminatedUnion('type', [inputText, inputImage]))]),
  status: status.nullish(),
});
const item = z.union([said, answered, reasoning, call, output]);

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: toolName,
    description: z.string().optional(),
    schema: jsonSchema,
    strict: z.boolean().nullish(),
  }),
]);

const tool = z.strictObject({
  type: z.literal('function'),
  name: toolName,
  description: z.string().nullish(),
  parameters: jsonSchema.nullable(),
  strict: z.boolean().nullish(),
});

export const responsesSchema = z.strictObject({
  ...sharedOptions,
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  include: z.array(z.enum(['reasoning.encrypted_content', 'message.output_text.logprobs'])).nullish(),
  max_output_tokens: z.number().int().min(16).nullish(),
  reasoning: z
    .strictObject({
      effort: reasoningEffort.nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      context: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
    })
    .nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  text: z.strictObject({ format: format.optional(), verbosity: verbosity.nullish() }).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), name: z.string() }),
    ])
    .optional(),
  tools: z.array(tool).max(128).optional(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
});

export type ResponsesItem = z.infer<typeof item>;
export type ResponsesBody = z.infer<typeof responsesSchema>;
