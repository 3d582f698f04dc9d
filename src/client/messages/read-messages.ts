/** Builds the project's messages from a wire's contents, for all protocols. */

import { isRecord, stringOr } from '../../base/json/json.js';
import { readToolResultText, toolResult } from '../../conversation/tool-result.js';
import { INTERRUPTED_NOTE } from '../../models/request/message-text.js';
import { toToolUse } from '../../models/request/tool-arguments.js';
import type { AssistantMessage, Message, ReasoningBlock, ToolUseBlock } from '../../run/messages/message.js';
import { NO_USAGE } from '../../run/messages/message.js';

export type Wire = Record<string, unknown>;
type ReplyContent = AssistantMessage['content'];

/** Options for messages that are read from elsewhere. */
export interface ReadOptions {
  /** The `endpoint/model` that wrote the replies; it gets their reasoning data back. Default `unknown/unknown`. */
  model?: string;
}

/** Collects messages in order; ids are `m1`, `m2` and so on, and times 0. */
export class MessageReader {
  readonly messages: Message[] = [];
  readonly #model: string;
  /** Names of the calls, by id. */
  readonly #called = new Map<string, string>();

  constructor({ model = 'unknown/unknown' }: ReadOptions) {
    this.#model = model;
  }

  user(texts: readonly string[]): void {
    if (texts.length === 0) return;
    const content = texts.map(text => ({ type: 'text' as const, text }));
    this.messages.push({ ...this.#head, kind: 'user', purpose: 'goal', content });
  }

  /** Adds a reply; with `goesOn`, a continuation of the last one unless that was interrupted. */
  reply(content: ReplyContent, goesOn = false): void {
    for (const block of content) if (block.type === 'tool_use') this.#called.set(block.id, block.name);
    const [first = [], ...others] = splitAtNotes(content);
    const last = this.messages.at(-1);
    if (goesOn && last?.kind === 'assistant' && last.stopReason !== 'interrupted') {
      this.messages[this.messages.length - 1] = { ...last, ...ended([...last.content, ...first]) };
    } else this.#push(first);
    for (const other of others) this.#push(other);
  }

  #push(content: ReplyContent): void {
    const head = { ...this.#head, role: 'assistant', model: this.#model, usage: NO_USAGE };
    this.messages.push({ ...head, kind: 'assistant', ...ended(content) });
  }

  /** A result without a call, or a second result, is left out: no model would accept it. */
  result(id: string, text: string, isError = false): void {
    const name = this.#called.get(id);
    if (name === undefined) return;
    this.#called.delete(id);
    const failed = text.startsWith(FAILED);
    const { note, content } = readToolResultText(
      failed ? text.slice(FAILED.length).replace(/^\s/, '') : text,
    );
    const block = toolResult({ id, name }, 'executed', { content, isError: isError || failed });
    this.messages.push({ ...this.#head, kind: 'tool_result', content: [{ ...block, note }] });
  }

  call(id: unknown, name: unknown, input: unknown): ToolUseBlock {
    const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    return toToolUse({ id: stringOr(id, ''), name: stringOr(name, ''), text, cut: false }, []);
  }

  reasoning(text: string, value: unknown): ReasoningBlock {
    return { type: 'reasoning', text, data: { model: this.#model, value } };
  }

  get #head(): { id: string; at: number } {
    return { id: `m${this.messages.length + 1}`, at: 0 };
  }
}

/** Splits replies that some protocols join: each interrupted reply ends with a note. */
function splitAtNotes(content: ReplyContent): ReplyContent[] {
  const at = content.findIndex(block => block.type === 'text' && block.text.endsWith(INTERRUPTED_NOTE));
  if (at < 0 || at === content.length - 1) return [content];
  return [content.slice(0, at + 1), ...splitAtNotes(content.slice(at + 1))];
}

/** Derives a reply's end from its content; the note of an interrupted reply is removed. */
function ended(content: ReplyContent): Pick<AssistantMessage, 'content' | 'stopReason' | 'action'> {
  const last = content.at(-1);
  const isCut = last?.type === 'text' && last.text.endsWith(INTERRUPTED_NOTE);
  if (isCut) {
    const text = last.text.slice(0, -INTERRUPTED_NOTE.length).replace(/\n$/, '');
    const kept: ReplyContent = [...content.slice(0, -1), ...(text === '' ? [] : [{ ...last, text }])];
    return { content: kept, stopReason: 'interrupted', action: 'thinking' };
  }
  const calls = content.some(block => block.type === 'tool_use');
  return {
    content,
    stopReason: calls ? 'tool_use' : 'end_turn',
    action: calls ? 'calling_tool' : 'answering',
  };
}

/** Begins the text of a failed result where the protocol has no mark for one. */
const FAILED = '[The tool reported an error.]';

/** Returns the messages for a protocol without a mark for failed results. */
export function withFailuresInWords(messages: readonly Message[]): Message[] {
  return messages.map(message => {
    if (message.kind !== 'tool_result' || !message.content[0].isError) return message;
    const [result] = message.content;
    return { ...message, content: [{ ...result, note: `${FAILED} ${result.note}`.trimEnd() }] };
  });
}

export function recordsOf(value: unknown): Wire[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns the texts of a content, which is a text or a list of parts. A picture or file is named in its place. */
export function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  return recordsOf(content)
    .map(part => stringOr(part.text, stringOr(part.refusal, PARTS[stringOr(part.type, '')] ?? '')))
    .filter(text => text !== '');
}

const [PICTURE, FILE] = ['[picture]', '[file]'];
/** The text that replaces a part that is not text, by the types of parts in all protocols. */
const PARTS: Readonly<Record<string, string>> = {
  ...{ image_url: PICTURE, input_image: PICTURE, image: PICTURE },
  ...{ file: FILE, input_file: FILE, document: FILE, input_audio: FILE, binary: FILE },
};
