/**
 * Sends reasoning back to the model that produced it, in the form in which the endpoint sent it. If it is missing,
 * models lose their thoughts between tool calls, and some endpoints refuse the request.
 */

import { isRecord, stringOr } from '../../base/json/json.js';
import type { AssistantMessage } from '../../run/messages/message.js';
import type { ModelDelta } from '../provider/provider.js';
import { REPLY_BOUNDS } from '../reply/reply-bounds.js';
import { dataFor } from '../request/message-text.js';

/**
 * The field of a message that holds reasoning as text. Kimi, GLM, DeepSeek, vLLM and llama.cpp use the first; Groq,
 * Ollama and OpenRouter use the second. `content` means `<think>` tags in the text, which MiniMax wants back:
 * https://platform.minimax.io/docs/guides/text-m2-function-call
 */
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'content';

/** Fields with lists of reasoning blocks: OpenRouter's, and LiteLLM's for Claude. Only complete lists are accepted back. */
const LISTS = ['reasoning_details', 'thinking_blocks'] as const;
type List = (typeof LISTS)[number];

type BlockOfList = Record<string, unknown>;

/** Fields whose text is appended from fragment to fragment. */
const GROWING = ['text', 'summary', 'data', 'thinking', 'signature'] as const;
const MOST_BLOCKS = 256;

export class ReasoningBack {
  readonly #lists: Record<List, BlockOfList[]> = { reasoning_details: [], thinking_blocks: [] };
  #field: ReasoningField | null = null;
  #chars = 0;
  #isTold = false;

  read(delta: Record<string, unknown>): void {
    for (const list of LISTS) {
      const given = delta[list];
      for (const block of Array.isArray(given) ? given : []) if (isRecord(block)) this.#add(list, block);
    }
  }

  /** Notes that reasoning arrived as text in this field. */
  came(field: ReasoningField): void {
    this.#field ??= field;
  }

  /**
   * Ends the reply. Blocks are sent back if they are within the bounds, since a cut block would be useless. Otherwise
   * the field is named, but only for a reply with tool calls: after a reply without calls its reasoning is no longer
   * needed.
   */
  *end(calls: number): Iterable<ModelDelta> {
    if (this.#isTold) return;
    const list = LISTS.find(name => this.#lists[name].length > 0 && this.#isWhole(name));
    const field = calls > 0 ? this.#field : null;
    if (!list && !field) return;
    this.#isTold = true;
    yield { type: 'reasoning_end', value: list ? { [list]: this.#lists[list] } : { field } };
  }

  #isWhole(list: List): boolean {
    return this.#lists[list].length <= MOST_BLOCKS && this.#chars <= REPLY_BOUNDS.textChars;
  }

  #add(list: List, block: BlockOfList): void {
    const blocks = this.#lists[list];
    this.#chars += GROWING.reduce((sum, field) => sum + stringOr(block[field], '').length, 0);
    if (this.#chars > REPLY_BOUNDS.textChars || blocks.length > MOST_BLOCKS) return;
    const open = blocks.findLast(known => isPartOf(known, block));
    if (!open) {
      blocks.push({ ...block });
      return;
    }
    for (const [key, value] of Object.entries(block)) {
      const before = open[key];
      const grows = (GROWING as readonly string[]).includes(key) && typeof before === 'string';
      if (grows && typeof value === 'string') open[key] = before + value;
      else if (value !== null && value !== undefined) open[key] = value;
    }
  }
}

/** Blocks are distinguished by their id and index. Thinking without an index (LiteLLM's) continues until it is signed. */
function isPartOf(known: BlockOfList, block: BlockOfList): boolean {
  const isOther = typeof known.id === 'string' && typeof block.id === 'string' && known.id !== block.id;
  if (known.type !== block.type || isOther) return false;
  if (typeof known.index === 'number') return known.index === block.index;
  return known.type === 'thinking' && stringOr(known.signature, '') === '';
}

/** Returns the message fields that give the model (`endpoint/model`) its reasoning back; empty if it has none. */
export function reasoningBack(model: string, reply: AssistantMessage): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const block of reply.content) {
    const data = block.type === 'reasoning' ? dataFor(model, block) : undefined;
    if (block.type !== 'reasoning' || !isRecord(data)) continue;
    for (const list of LISTS) if (Array.isArray(data[list])) fields[list] = data[list];
    if (data.field === 'reasoning_content' || data.field === 'reasoning') fields[data.field] = block.text;
  }
  return fields;
}

/** Returns the text of a reply, preceded by its thinking in tags if the model (`endpoint/model`) wrote it that way. */
export function withThinkTags(model: string, reply: AssistantMessage, text: string): string {
  const thought = reply.content.flatMap(block => {
    const data = block.type === 'reasoning' ? dataFor(model, block) : undefined;
    return block.type === 'reasoning' && isRecord(data) && data.field === 'content' ? [block.text] : [];
  });
  return thought.length === 0 ? text : `<think>\n${thought.join('\n')}\n</think>\n\n${text}`;
}

export function withoutReasoning<Message extends object>(message: Message): Message {
  const kept = { ...message } as Message & Record<string, unknown>;
  for (const field of ['reasoning_content', 'reasoning', ...LISTS]) delete kept[field];
  return kept;
}
