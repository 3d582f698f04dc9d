/**
 * What a model wants back of its reasoning: each endpoint in the form in which it sent it, and only the model that gave
 * it. Without it models lose what they thought between their calls, and some endpoints refuse the request.
 */

import { isRecord, stringOr } from '../../base/json/json.js';
import type { AssistantMessage } from '../../run/messages/message.js';
import type { ModelDelta } from '../provider/provider.js';
import { REPLY_BOUNDS } from '../reply/reply-bounds.js';
import { dataFor } from '../request/message-text.js';

/**
 * Fields of a message that hold reasoning as text: of Kimi, GLM, DeepSeek, vLLM and llama.cpp the first, of Groq,
 * Ollama and OpenRouter the second. `content` stands for `<think>` tags in the text, as MiniMax wants them back:
 * https://platform.minimax.io/docs/guides/text-m2-function-call
 */
export type ReasoningField = 'reasoning_content' | 'reasoning' | 'content';

/** Lists of blocks beside the text: of OpenRouter, and of LiteLLM before Anthropic's models. Only whole ones are taken back. */
const LISTS = ['reasoning_details', 'thinking_blocks'] as const;
type List = (typeof LISTS)[number];

type BlockOfList = Record<string, unknown>;

/** What grows from fragment to fragment. */
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

  /** Reasoning came as text in this field. */
  came(field: ReasoningField): void {
    this.#field ??= field;
  }

  /**
   * At the end of the reply: the blocks where they are within its bounds, for cut they are worth nothing; else the
   * field, of a reply with tool calls. What was thought before a reply without them is over with it.
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

/** Blocks are told apart by their number; thinking without one (LiteLLM's) goes on until it is signed. */
function isPartOf(known: BlockOfList, block: BlockOfList): boolean {
  if (known.type !== block.type) return false;
  if (typeof known.index === 'number') return known.index === block.index;
  return known.type === 'thinking' && stringOr(known.signature, '') === '';
}

/** The fields of a reply that give a model `endpoint/model` its reasoning back; empty where it wants none. */
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

/** The text of a reply, after its thinking in tags where the model `endpoint/model` wrote it so. */
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
