/** Requests as the providers' caches read them: what stands before what, and what a change spoils. */

import type { Json } from '../../../../packages/test-kit/model-server.js';
import { isRecord } from '../../../../src/base/json/json.js';
import type { CacheBlock } from './marked-cache.js';

/** Tools, the schema of the reply, then what is said: https://platform.openai.com/docs/guides/prompt-caching */
export function chatPrompt({ tools, response_format, messages }: Json): string[] {
  return texts([...list(tools), response_format, ...list(messages)]);
}

/** The same, with the instructions as a system message is. */
export function responsesPrompt({ tools, text, instructions, input }: Json): string[] {
  const format = isRecord(text) ? text.format : undefined;
  return texts([
    ...list(tools),
    format,
    instructions,
    ...(typeof input === 'string' ? [input] : list(input)),
  ]);
}

/**
 * Tools, system, messages. A change of tools spoils all, one of the format of the reply all but the tools, one of tool
 * choice or thinking the messages: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching#what-invalidates-the-cache
 */
export function messagesPrompt(body: Json): CacheBlock[] {
  const { tools, system, messages, cache_control, tool_choice, thinking, output_config } = body;
  const format = isRecord(output_config) ? output_config.format : null;
  const blocks = [
    ...list(tools).map(tool => toBlock(tool, '')),
    ...asBlocks(system).map(part => toBlock(part, JSON.stringify([format]))),
    ...list(messages)
      .filter(isRecord)
      .flatMap(({ role, content }) =>
        asBlocks(content).map(part => toBlock(part, JSON.stringify([role, format, tool_choice, thinking]))),
      ),
  ];
  // A mark on the whole request stands for one on its last block.
  const last = blocks.at(-1);
  if (isRecord(cache_control) && last) last.marked = true;
  return blocks;
}

function toBlock(part: unknown, beside: string): CacheBlock {
  const marked = isRecord(part) && isRecord(part.cache_control);
  return { text: JSON.stringify(part, withoutMarks) ?? '', beside, marked };
}

/** Marks are no part of what is cached: they move on from request to request. */
function withoutMarks(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value;
}

/** A text is short for one block of it. */
function asBlocks(content: unknown): unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function texts(parts: readonly unknown[]): string[] {
  return parts.flatMap(part => (part === undefined || part === null ? [] : [JSON.stringify(part)]));
}
