/** Collects a reply while it streams in, and builds the message from it. */

import { canonicalJson, nestsTooDeep } from '../../base/json/json.js';
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type { LiveText } from '../../run/limits/heartbeats.js';
import type {
  AssistantMessage,
  ProviderData,
  ReasoningBlock,
  TextBlock,
  ToolUseBlock,
} from '../../run/messages/message.js';
import { toolCallId } from '../../run/messages/message.js';
import type { Lesson } from '../provider/lesson.js';
import type { ModelDelta, ReportedUsage } from '../provider/provider.js';
import { toToolUse } from '../request/tool-arguments.js';
import { splitAtCloseLine } from './think-tags.js';

const MIXED_UP =
  'This call arrived incomplete or mixed up with another: it is not run. Make one call in a reply.';

/** Deltas after an `end` that show that the reply had not ended. */
const GOES_ON: ReadonlySet<ModelDelta['type']> = new Set([
  'text',
  'reasoning',
  'tool_start',
  'tool_input',
  'restart',
]);

type EndDelta = Extract<ModelDelta, { type: 'end' }>;

/** The text of a channel so far, for watchers. */
export interface ChannelText {
  channel: LiveText['channel'];
  text: string;
  restarts: number;
}

interface DraftCall {
  type: 'call';
  id: string | null;
  name: string;
  text: string;
  mixedUp?: true;
  data?: ProviderData;
}

/** Reasoning is complete once it has `data`, which its provider wants back. */
interface DraftReasoning {
  type: 'reasoning';
  text: string;
  data?: ProviderData;
}

type DraftPart = DraftCall | DraftReasoning | TextBlock;

export class ReplyDraft {
  text = '';
  reasoning = '';
  usage: ReportedUsage | null = null;
  /** Changes that were made to the request before the endpoint accepted it. */
  readonly lessons: Lesson[] = [];
  /** Set when the reply is complete: from then on neither an interruption nor a broken connection matters. */
  end: EndDelta | null = null;
  #calls: DraftCall[] = [];
  #parts: DraftPart[] = [];
  /** Text and reasoning as they are stored, with each block on its own line. */
  #shownText = '';
  #shownReasoning = '';
  /** True if the provider wants reasoning back, and so needs the original order of blocks. */
  #isOrdered = false;
  #restarts = 0;
  /** Index of the first reasoning part that has not been ended yet. */
  #unended: number | null = null;
  readonly #model: string;
  #toolInput = '';

  constructor(model: string) {
    this.#model = model;
  }

  /** Adds a delta; returns the channel that grew, or null. */
  add(delta: ModelDelta): ChannelText | null {
    if (GOES_ON.has(delta.type)) this.end = null;
    const grown = this.#take(delta);
    return grown && { ...grown, restarts: this.#restarts };
  }

  #take(delta: ModelDelta): Omit<ChannelText, 'restarts'> | null {
    switch (delta.type) {
      case 'text': {
        const begins = this.#shownText !== '' && this.#parts.at(-1)?.type !== 'text' && this.#isOrdered;
        this.#shownText += begins ? `\n${delta.text}` : delta.text;
        this.text += delta.text;
        this.#openPart('text').text += delta.text;
        return { channel: 'text', text: this.#shownText };
      }
      case 'reasoning': {
        const begins = this.#shownReasoning !== '' && this.#unended === null;
        this.#shownReasoning += begins ? `\n${delta.text}` : delta.text;
        this.reasoning += delta.text;
        this.#openPart('reasoning').text += delta.text;
        return { channel: 'reasoning', text: this.#shownReasoning };
      }
      case 'tool_start':
        return this.#startCall(delta);
      case 'tool_input': {
        const call = this.#calls[delta.index];
        if (call) call.text += delta.text;
        this.#toolInput += delta.text;
        return { channel: 'tool_input', text: this.#toolInput };
      }
      case 'reasoning_end':
        if (isReturnable(delta.value)) this.#endReasoning({ model: this.#model, value: delta.value });
        return null;
      case 'tool_data': {
        const call = this.#calls[delta.index];
        if (call && isReturnable(delta.value)) call.data = { model: this.#model, value: delta.value };
        return null;
      }
      case 'tool_mixed_up': {
        const call = this.#calls[delta.index];
        if (call) call.mixedUp = true;
        return null;
      }
      case 'restart':
        return this.#restart();
      case 'lesson':
        this.lessons.push(delta.lesson);
        return null;
      case 'usage':
        this.usage = delta.usage;
        return null;
      case 'end':
        this.end = delta;
        this.#splitThinking();
        return null;
    }
  }

  #restart(): Omit<ChannelText, 'restarts'> {
    this.text = '';
    this.reasoning = '';
    this.usage = null;
    this.#calls = [];
    this.#parts = [];
    this.#unended = null;
    this.#isOrdered = false;
    this.#toolInput = '';
    this.#shownText = '';
    this.#shownReasoning = '';
    this.#restarts += 1;
    return { channel: 'text', text: '' };
  }

  #openPart(type: 'text'): TextBlock;
  #openPart(type: 'reasoning'): DraftReasoning;
  #openPart(type: 'text' | 'reasoning'): TextBlock | DraftReasoning {
    const last = this.#parts.at(-1);
    if (last?.type === type && !('data' in last)) return last as TextBlock | DraftReasoning;
    const part = { type, text: '' };
    if (type === 'reasoning') this.#unended ??= this.#parts.length;
    this.#parts.push(part);
    return part;
  }

  /** Merges all open reasoning into one block, at the index of its first piece. */
  #endReasoning(data: ProviderData): void {
    const block: DraftReasoning = { type: 'reasoning', text: '', data };
    const later = this.#parts.splice(this.#unended ?? this.#parts.length);
    this.#unended = null;
    this.#isOrdered = true;
    this.#parts.push(block);
    for (const part of later) {
      if (part.type === 'reasoning') block.text += part.text;
      else if (part.type === 'text') this.#openPart('text').text += part.text;
      else this.#parts.push(part);
    }
  }

  #startCall({
    index,
    id,
    name,
  }: Extract<ModelDelta, { type: 'tool_start' }>): Omit<ChannelText, 'restarts'> {
    const call: DraftCall = { type: 'call', id, name, text: '' };
    this.#calls[index] = call;
    this.#parts.push(call);
    this.#toolInput += `${this.#toolInput === '' ? '' : '\n'}${name} `;
    return { channel: 'tool_input', text: this.#toolInput };
  }

  #splitThinking(): void {
    const split = this.reasoning === '' && !this.#isOrdered ? splitAtCloseLine(this.text) : null;
    if (!split) return;
    this.reasoning = split.reasoning;
    this.text = split.text;
  }

  /** All text that the model wrote, for estimates. */
  get written(): string {
    return `${this.reasoning}${this.text}${this.#toolInput}`;
  }

  get writtenChars(): number {
    return this.reasoning.length + this.text.length + this.#toolInput.length;
  }

  /** Returns the part of an interrupted reply that is stored: reasoning and text, no tool calls. */
  partial(): (ReasoningBlock | TextBlock)[] {
    return this.#ordered.filter(part => part.type !== 'call');
  }

  /** Endpoints that want no reasoning back mix text and reasoning arbitrarily, so each becomes one block. */
  get #ordered(): DraftPart[] {
    if (this.#isOrdered) return [...this.#parts];
    const blocks: DraftPart[] = [];
    if (this.reasoning !== '') blocks.push({ type: 'reasoning', text: this.reasoning });
    if (this.text !== '') blocks.push({ type: 'text', text: this.text });
    return [...blocks, ...this.#calls];
  }

  /** Returns the whole reply as blocks. `callId` is the base of ids for calls with a missing or duplicate id. */
  whole(callId: string, offered: readonly OfferedTool[]): AssistantMessage['content'] {
    const taken = new Set<string>();
    const last = this.#calls.at(-1);
    let number = 0;
    return this.#ordered.map(part => {
      if (part.type !== 'call') return part;
      number += 1;
      const { id: given, name, text, mixedUp, data } = part;
      const id = given !== null && !taken.has(given) ? given : toolCallId(callId, number);
      taken.add(id);
      const cut = this.end?.stopReason === 'max_tokens' && part === last;
      const read = toToolUse({ id, name, text, cut }, offered);
      const call: ToolUseBlock = data === undefined ? read : { ...read, data };
      return mixedUp || name === '' ? { ...call, argErrors: [MIXED_UP] } : call;
    });
  }
}

/** True if the data may be sent back. Data nested too deeply for recursive JSON code is dropped. */
function isReturnable(value: unknown): boolean {
  return !nestsTooDeep(canonicalJson(value));
}
