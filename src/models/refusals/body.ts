/** Reads and changes the body of a request, for all protocols: its tools, messages and pictures. */
import { createHash } from 'node:crypto';
import { canonicalJson, isRecord, stringOr } from '../../base/json/json.js';
import type { Body } from './refused-options.js';

type Wire = Record<string, unknown>;

export function toolsIn({ tools }: Body): Wire[] {
  return Array.isArray(tools) ? tools.filter(isRecord) : [];
}

export function toolName(tool: Wire): string {
  return stringOr(isRecord(tool.function) ? tool.function.name : tool.name, '');
}

/** Returns the body with these tools. If no tool is left, fields that need tools are removed too. */
export function withTools(body: Body, tools: readonly Wire[]): Body {
  if (tools.length > 0) return { ...body, tools };
  const { tools: _none, tool_choice: _choice, parallel_tool_calls: _parallel, ...rest } = body;
  return rest;
}

/** Returns the tool with another schema, a description of at most `mostChars`, and `strict` off if it was set. */
export function changedTool(tool: Wire, change: (schema: Wire) => Wire, mostChars: number): Wire {
  if (isRecord(tool.function)) return { ...tool, function: changedTool(tool.function, change, mostChars) };
  const key = 'input_schema' in tool ? 'input_schema' : 'parameters';
  const schema = tool[key];
  const { strict: _held, ...rest } = tool;
  return {
    ...rest,
    ...('strict' in tool && { strict: false }),
    ...(typeof tool.description === 'string' && { description: tool.description.slice(0, mostChars) }),
    ...(isRecord(schema) && { [key]: change(schema) }),
  };
}

/** True if the tool states how strictly its calls must follow the schema. */
export function saysStrict(tool: Wire): boolean {
  return 'strict' in tool || (isRecord(tool.function) && 'strict' in tool.function);
}

export function withoutStrict(tool: Wire): Wire {
  const { strict: _strict, ...rest } = tool;
  return isRecord(rest.function) ? { ...rest, function: withoutStrict(rest.function) } : rest;
}

export function messagesIn(body: Body): unknown[] {
  const list = body.messages ?? body.input;
  return Array.isArray(list) ? list : [];
}

export function withMessages(body: Body, messages: readonly unknown[]): Body {
  return { ...body, [body.messages === undefined ? 'input' : 'messages']: messages };
}

function hashOf(part: unknown): string {
  return createHash('sha256').update(canonicalJson(part)).digest('hex').slice(0, 12);
}

/** Identifies a message by its content, because its form may change between requests, as cache marks do. */
export function messageHash(message: unknown): string {
  if (!isRecord(message)) return hashOf(message ?? null);
  const { role, type, tool_calls, arguments: given } = message;
  const parts = Array.isArray(message.content) ? message.content : [];
  const ids = [message, ...parts].map(part =>
    isRecord(part) ? [part.id, part.tool_call_id, part.tool_use_id, part.call_id] : [],
  );
  return hashOf(JSON.parse(JSON.stringify([role, type, ids, textIn(message), tool_calls, given])));
}

const PICTURE_TYPES: readonly unknown[] = ['image_url', 'input_image', 'image'];

function isPicture(part: unknown): part is Wire {
  return isRecord(part) && PICTURE_TYPES.includes(part.type);
}

export function picturesIn(value: unknown): Wire[] {
  if (isPicture(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(picturesIn);
  return isRecord(value) ? [...picturesIn(value.content), ...picturesIn(value.output)] : [];
}

export function pictureHash({ image_url, source }: Wire): string {
  return hashOf(image_url ?? source);
}

const NO_PICTURE = '[The picture that stood here was not taken by the endpoint.]';

/** Replaces refused pictures by notes. If only texts remain, they become one text, for endpoints that take no list of parts. */
export function withoutPictures(
  messages: readonly unknown[],
  isRefused: (picture: Wire) => boolean,
): unknown[] {
  return messages.map(message => {
    if (!picturesIn(message).some(isRefused)) return message;
    const changed = replacedIn(message, isRefused);
    return isRecord(changed) && 'role' in changed
      ? { ...changed, content: asOneText(changed.content) }
      : changed;
  });
}

function replacedIn(value: unknown, isRefused: (picture: Wire) => boolean): unknown {
  if (isPicture(value)) {
    if (!isRefused(value)) return value;
    const { cache_control } = value;
    const type = value.type === 'input_image' ? 'input_text' : 'text';
    return { type, text: NO_PICTURE, ...(cache_control !== undefined && { cache_control }) };
  }
  if (Array.isArray(value)) return value.map(each => replacedIn(each, isRefused));
  if (!isRecord(value)) return value;
  const inner = ['content', 'output'].filter(key => value[key] !== undefined);
  return { ...value, ...Object.fromEntries(inner.map(key => [key, replacedIn(value[key], isRefused)])) };
}

function asOneText(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const isPlain = content.every(
    part => isRecord(part) && part.type === 'text' && part.cache_control === undefined,
  );
  return isPlain ? textIn(content) : content;
}

/** Returns all text of a message or its content, in order. */
export function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .map(textIn)
      .filter(text => text !== '')
      .join('\n\n');
  if (!isRecord(value)) return '';
  return [value.text, value.content, value.output]
    .map(textIn)
    .filter(text => text !== '')
    .join('\n\n');
}
