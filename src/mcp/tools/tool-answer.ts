/** Reads a tool's answer part by part, so that an unreadable part does not cost the others. */
import { z } from 'zod';
import { isRecord } from '../../base/json/json.js';

const optionalText = z.string().optional().catch(undefined);
/** A single character class, because a pattern with groups would overflow the call stack on megabytes of data. */
const base64 = z.string().regex(/^[\w+/=\s-]*$/);
/** Some servers send the data of pictures as an address of it. */
const DATA_ADDRESS = /^data:([\w.+/-]+);base64,/;

const partSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: base64, mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: base64, mimeType: z.string() }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.union([
      z.looseObject({ uri: z.string(), mimeType: optionalText, text: z.string() }),
      z.looseObject({ uri: z.string(), mimeType: optionalText, blob: base64 }),
    ]),
  }),
  z.looseObject({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: optionalText,
    title: optionalText,
    description: optionalText,
    mimeType: optionalText,
  }),
]);

/** The protocol's form, as lenient as its use allows. */
export const toolAnswerSchema = z.looseObject({
  content: z.unknown().optional(),
  structuredContent: z.unknown().optional(),
  /** Older servers send this in place of both. */
  toolResult: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
  _meta: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

export type AnswerPart = z.infer<typeof partSchema>;

export interface ToolAnswer {
  content: AnswerPart[];
  structuredContent?: unknown;
  isError: boolean;
  /** Data for clients, never for models. */
  meta?: Record<string, unknown>;
  /** Descriptions of the unreadable parts: `part 2, a malformed image`. */
  unreadable: string[];
}

export function readToolAnswer({
  content,
  toolResult,
  structuredContent = toolResult,
  isError,
  _meta: meta,
}: z.infer<typeof toolAnswerSchema>): ToolAnswer {
  const parts: unknown[] = Array.isArray(content) ? content : [content ?? []].flat();
  const answer: ToolAnswer = { content: [], isError: isError ?? false, unreadable: [] };
  if (structuredContent !== undefined && structuredContent !== null)
    answer.structuredContent = structuredContent;
  if (meta !== undefined) answer.meta = meta;
  for (const [index, part] of parts.entries()) {
    const read = partSchema.safeParse(plainPart(part));
    if (read.success) answer.content.push(read.data);
    else answer.unreadable.push(`part ${index + 1}, ${faultOf(part)}`);
  }
  return answer;
}

/** Returns a part in the protocol's form: some servers send a bare text, or data as an address. */
function plainPart(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isRecord(part) || typeof part.data !== 'string') return part;
  const [address, mimeType] = DATA_ADDRESS.exec(part.data) ?? [];
  return address === undefined ? part : { ...part, mimeType, data: part.data.slice(address.length) };
}

const KINDS: Readonly<Record<string, string>> = {
  text: 'a text',
  image: 'a picture',
  audio: 'a sound',
  resource: 'a resource',
  resource_link: 'a link',
} satisfies Record<AnswerPart['type'], string>;

/** An unknown type is not quoted, because it is the server's own text. */
function faultOf(part: unknown): string {
  const type = typeof part === 'object' && part !== null && 'type' in part ? String(part.type) : '';
  return Object.hasOwn(KINDS, type) ? `${KINDS[type]} that is malformed` : 'of no known type';
}
