/** The published schema of a chat completions request, as far as it is about text, images and functions. */
import { z } from 'zod';
import {
  breakpoint,
  jsonSchema,
  reasoningEffort,
  sharedOptions,
  toolName,
  verbosity,
} from '../openai-checks.js';

const textPart = z.strictObject({ type: z.literal('text'), text: z.string(), ...breakpoint });
const texts = z.union([z.string(), z.array(textPart).min(1)]);
const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
  ...breakpoint,
});
const refusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });
const name = z.string().optional();

const toolCall = z.strictObject({
  id: z.string().min(1).max(40),
  type: z.literal('function'),
  function: z.strictObject({ name: toolName, arguments: z.string() }),
});

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: texts, name }),
  z.strictObject({ role: z.literal('developer'), content: texts, name }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, imagePart])).min(1)]),
    name,
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z
      .union([z.string(), z.array(z.discriminatedUnion('type', [textPart, refusalPart])).min(1)])
      .nullish(),
    refusal: z.string().nullish(),
    name,
    tool_calls: z.array(toolCall).min(1).optional(),
    // Of endpoints that send reasoning, as this one does: they take it back.
    reasoning_content: z.string().optional(),
    reasoning: z.string().optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
]);

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: toolName,
    description: z.string().optional(),
    parameters: jsonSchema.optional(),
    strict: z.boolean().nullish(),
  }),
});

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: toolName,
      description: z.string().optional(),
      schema: jsonSchema,
      strict: z.boolean().nullish(),
    }),
  }),
]);

export const chatSchema = z.strictObject({
  ...sharedOptions,
  model: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).max(128).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  response_format: responseFormat.optional(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: z.boolean().nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  reasoning_effort: reasoningEffort.nullish(),
  seed: z.number().int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  verbosity: verbosity.nullish(),
});

export type ChatMessage = z.infer<typeof message>;
export type ChatRequestBody = z.infer<typeof chatSchema>;
