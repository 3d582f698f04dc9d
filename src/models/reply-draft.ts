/** A reply while it arrives, and what is made of it at its end. */

import type { LiveText } from '../core/heartbeats.js';
import type {
  AssistantMessage,
  ProviderData,
  ReasoningBlock,
  TextBlock,
  ToolUseBlock,
} from '../core/message.js';
import { toolCallId } from '../core/message.js';
import type { OfferedTool } from '../core/model-request.js';
import type { ModelDelta, ReportedUsage } from './provider.js';
import { splitAtCloseLine } from './think-tags.js';
import { toToolUse } from './tool-arguments.js';

const MIXED_UP =
  'This call arrived incomplete or mixed up with another: it is not run. Make one call in a reply.';

type EndDelta = Extract<ModelDelta, { type: 'end' }>;

/** The text of a channel so far: what a watcher may see. */
export interface ChannelText {
  channel: LiveText['channel'];
  text: string;
}

interface DraftCall {
  id: string | null;
  name: string;
  text: string;
  mixedUp?: true;
  data?: ProviderData;
}

export class ReplyDraft {
  text = '';
  reasoning = '';
  usage: ReportedUsage | null = null;
  /** Set when the reply is complete: from then on neither interrupt nor a broken connection matters. */
  end: EndDelta | null = null;
  readonly #calls: DraftCall[] = [];
  /** Reasoning that is whole, with what its provider wants back with it. */
  readonly #reasoned: { upTo: number; value: unknown }[] = [];
  readonly #model: string;
  #toolInput = '';

  /** `model`: as `endpoint/model`. */
  constructor(model: string) {
    this.#model = model;
  }

  /** Takes a delta in; returns the channel that grew, or null. */
  add(delta: ModelDelta): ChannelText | null {
    switch (delta.type) {
      case 'text':
        this.text += delta.text;
        return { channel: 'text', text: this.text };
      case 'reasoning':
        this.reasoning += delta.text;
        return { channel: 'reasoning', text: this.reasoning };
      case 'tool_start':
        this.#calls[delta.index] = { id: delta.id, name: delta.name, text: '' };
        this.#toolInput += `${this.#toolInput === '' ? '' : '\n'}${delta.name} `;
        return { channel: 'tool_input', text: this.#toolInput };
      case 'tool_input': {
        const call = this.#calls[delta.index];
        if (call) call.text += delta.text;
        this.#toolInput += delta.text;
        return { channel: 'tool_input', text: this.#toolInput };
      }
      case 'reasoning_end':
        this.#reasoned.push({ upTo: this.reasoning.length, value: delta.value });
        return null;
      case 'tool_data': {
        const call = this.#calls[delta.index];
        if (call) call.data = { model: this.#model, value: delta.value };
        return null;
      }
      case 'tool_mixed_up': {
        const call = this.#calls[delta.index];
        if (call) call.mixedUp = true;
        return null;
      }
      case 'usage':
        this.usage = delta.usage;
        return null;
      case 'end':
        this.end = delta;
        this.#splitThinking();
        return null;
    }
  }

  #splitThinking(): void {
    const split = this.reasoning === '' ? splitAtCloseLine(this.text) : null;
    if (!split) return;
    this.reasoning = split.reasoning;
    this.text = split.text;
  }

  /** All that the model wrote, for estimates. */
  get written(): string {
    return `${this.reasoning}${this.text}${this.#toolInput}`;
  }

  /** Its length. */
  get writtenChars(): number {
    return this.reasoning.length + this.text.length + this.#toolInput.length;
  }

  /** What an interrupted reply keeps: reasoning and text, no tool calls. */
  partial(): (ReasoningBlock | TextBlock)[] {
    const blocks: (ReasoningBlock | TextBlock)[] = this.#reasoningBlocks();
    if (this.text !== '') blocks.push({ type: 'text', text: this.text });
    return blocks;
  }

  #reasoningBlocks(): ReasoningBlock[] {
    let from = 0;
    const blocks = this.#reasoned.map(({ upTo, value }): ReasoningBlock => {
      const text = this.reasoning.slice(from, upTo);
      from = upTo;
      return { type: 'reasoning', text, data: { model: this.#model, value } };
    });
    const rest = this.reasoning.slice(from);
    return rest === '' ? blocks : [...blocks, { type: 'reasoning', text: rest }];
  }

  /** The whole reply as blocks. `callId` makes the ids of calls that came without one or with a taken one. */
  whole(callId: string, offered: readonly OfferedTool[]): AssistantMessage['content'] {
    return [...this.partial(), ...this.#toolUses(callId, offered)];
  }

  #toolUses(callId: string, offered: readonly OfferedTool[]): ToolUseBlock[] {
    const taken = new Set<string>();
    const last = this.#calls.length - 1;
    return this.#calls.map(({ id: given, name, text, mixedUp, data }, index) => {
      const id = given !== null && !taken.has(given) ? given : toolCallId(callId, index + 1);
      taken.add(id);
      const cut = this.end?.stopReason === 'max_tokens' && index === last;
      const read = toToolUse({ id, name, text, cut }, offered);
      const call = data === undefined ? read : { ...read, data };
      return mixedUp ? { ...call, argErrors: [MIXED_UP] } : call;
    });
  }
}
