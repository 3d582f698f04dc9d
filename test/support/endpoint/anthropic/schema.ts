/** The published schema of a Messages request, as far as it is about text, images, thinking and custom tools. */
import { z } from 'zod';

const mark = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();
const marked = { cache_control: mark };
const id = z.string().regex(/^[a-zA-Z0-9_-]+$/);

const text = z.strictObject({ type: z.literal('text'), text: z.string(), ...marked });
const image = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string().min(1),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string().min(1) }),
  ]),
  ...marked,
});
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id,
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,200}$/),
  input: z.record(z.string(), z.unknown()),
  ...marked,
});
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: id,
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))]).optional(),
  is_error: z.boolean().optional(),
  ...marked,
});

const message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image, toolResult]))]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([
      z.string(),
      z.array(z.discriminatedUnion('type', [text, thinking, redacted, toolUse])),
    ]),
  }),
  z.strictObject({ role: z.literal('system'), content: z.union([z.string(), z.array(text)]) }),
]);

const tool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  ...marked,
});

const alone = { disable_parallel_tool_use: z.boolean().optional() };
const display = z.enum(['summarized', 'omitted']).nullish();

export const messagesSchema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  cache_control: mark,
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z
        .strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
        .nullish(),
    })
    .optional(),
  system: z.union([z.string(), z.array(text)]).optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.number().int().min(1_024), display }),
      z.strictObject({ type: z.literal('adaptive'), display }),
      z.strictObject({ type: z.literal('between_tools') }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('auto'), ...alone }),
      z.strictObject({ type: z.literal('any'), ...alone }),
      z.strictObject({ type: z.literal('tool'), name: z.string(), ...alone }),
      z.strictObject({ type: z.literal('none') }),
    ])
    .optional(),
  tools: z.array(tool).optional(),
  max_tokens: z.number().int().min(0),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
  stream: z.boolean().optional(),
  // Until version 2026-10-21 of the API.
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.number().int().min(0).optional(),
});

export type MessagesBody = z.infer<typeof messagesSchema>;
export type MessagesMessage = z.infer<typeof message>;
export type MessagesBlock = Exclude<MessagesMessage['content'], string>[number];
