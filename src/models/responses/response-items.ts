/** The items of one streamed response: what they say when it comes, and once, however often it is told. */
import { isRecord, stringOr } from '../../core/json.js';
import type { ModelDelta } from '../provider.js';
import { REPLY_BOUNDS } from '../reply-bounds.js';

type Wire = Record<string, unknown>;
type Channel = 'text' | 'reasoning';

interface OpenItem {
  type: string;
  /** Of calls. */
  index: number;
  /** What came of it, in parts. */
  said: string;
  /** Which part of it came last. */
  part: string;
  isDone: boolean;
}

/** Where each event that brings a piece of an item has it, and on which channel it goes. */
const PIECES: Readonly<Record<string, { channel: Channel | 'input'; part: string }>> = {
  'response.output_text.delta': { channel: 'text', part: 'content_index' },
  'response.refusal.delta': { channel: 'text', part: 'content_index' },
  'response.reasoning_summary_text.delta': { channel: 'reasoning', part: 'summary_index' },
  'response.reasoning_text.delta': { channel: 'reasoning', part: 'content_index' },
  'response.function_call_arguments.delta': { channel: 'input', part: '' },
};

const PARAGRAPH = '\n\n';

export class ResponseItems {
  readonly #items = new Map<string, OpenItem>();
  readonly #chars: Record<Channel, number> = { text: 0, reasoning: 0 };
  /** Something was said on it that what comes next goes on with. */
  readonly #open: Record<Channel, boolean> = { text: false, reasoning: false };
  #argumentChars = 0;
  calls = 0;
  /** The model declined, in words. */
  refused = false;

  get full(): boolean {
    return (
      Math.max(this.#chars.text, this.#chars.reasoning) > REPLY_BOUNDS.textChars ||
      this.#argumentChars > REPLY_BOUNDS.argumentChars ||
      this.calls > REPLY_BOUNDS.toolCalls
    );
  }

  *read(event: Wire): Iterable<ModelDelta> {
    const key = String(event.output_index ?? '');
    if (event.type === 'response.output_item.added') yield* this.#begin(key, event.item);
    else if (event.type === 'response.output_item.done') yield* this.#finish(key, event.item);
    else yield* this.#grow(key, event);
  }

  /** The items as the end of a response repeats them: what did not come before is taken from there. */
  *readWhole(output: unknown): Iterable<ModelDelta> {
    if (!Array.isArray(output)) return;
    for (const [index, item] of output.entries()) yield* this.#finish(String(index), item);
  }

  /** A call that was begun and of which nothing says that it is whole. */
  *end(): Iterable<ModelDelta> {
    for (const item of this.#items.values()) {
      if (item.type === 'function_call' && !item.isDone) yield { type: 'tool_mixed_up', index: item.index };
    }
  }

  *#begin(key: string, item: unknown): Iterable<ModelDelta> {
    if (!isRecord(item) || this.#items.has(key)) return;
    const open = { type: stringOr(item.type, ''), index: this.calls, said: '', part: '', isDone: false };
    this.#items.set(key, open);
    if (open.type !== 'function_call') return;
    this.calls += 1;
    yield {
      type: 'tool_start',
      index: open.index,
      id: stringOr(item.call_id, '') || null,
      name: stringOr(item.name, ''),
    };
  }

  *#grow(key: string, event: Wire): Iterable<ModelDelta> {
    const piece = PIECES[String(event.type)];
    const item = this.#items.get(key);
    const text = stringOr(event.delta, '');
    if (!piece || !item || text === '') return;
    this.refused ||= event.type === 'response.refusal.delta';
    if (piece.channel === 'input') yield* this.#input(item, text);
    else yield* this.#say(item, piece.channel, `${event.type} ${event[piece.part] ?? 0}`, text);
  }

  *#finish(key: string, item: unknown): Iterable<ModelDelta> {
    if (!isRecord(item)) return;
    yield* this.#begin(key, item);
    const open = this.#items.get(key);
    if (!open || open.isDone) return;
    open.isDone = true;
    if (open.type === 'function_call') yield* this.#finishCall(open, item);
    if (open.type === 'message' && open.said === '') yield* this.#sayParts(open, 'text', item.content);
    if (open.type === 'reasoning') yield* this.#finishReasoning(open, item);
  }

  *#finishCall(open: OpenItem, item: Wire): Iterable<ModelDelta> {
    const whole = stringOr(item.arguments, '');
    if (open.said === '') yield* this.#input(open, whole);
    else if (whole !== '' && whole !== open.said) yield { type: 'tool_mixed_up', index: open.index };
  }

  *#finishReasoning(open: OpenItem, item: Wire): Iterable<ModelDelta> {
    if (open.said === '') yield* this.#sayParts(open, 'reasoning', item.summary);
    const { id, summary, encrypted_content } = item;
    if (typeof encrypted_content !== 'string' || encrypted_content === '') return;
    this.#open.reasoning = false;
    yield { type: 'reasoning_end', value: { type: 'reasoning', id, summary, encrypted_content } };
  }

  *#sayParts(open: OpenItem, channel: Channel, parts: unknown): Iterable<ModelDelta> {
    for (const [index, part] of (Array.isArray(parts) ? parts : []).entries()) {
      if (!isRecord(part)) continue;
      this.refused ||= part.type === 'refusal';
      const text = stringOr(part.text, stringOr(part.refusal, ''));
      if (text !== '') yield* this.#say(open, channel, String(index), text);
    }
  }

  /** Parts and items are paragraphs: their words would run into each other. */
  *#say(item: OpenItem, channel: Channel, part: string, piece: string): Iterable<ModelDelta> {
    const begins = item.part !== part && this.#open[channel];
    item.part = part;
    this.#open[channel] = true;
    const text = begins ? PARAGRAPH + piece : piece;
    item.said += piece;
    yield { type: channel, offset: this.#chars[channel], text };
    this.#chars[channel] += text.length;
  }

  *#input(item: OpenItem, text: string): Iterable<ModelDelta> {
    if (text === '') return;
    yield { type: 'tool_input', index: item.index, offset: item.said.length, text };
    item.said += text;
    this.#argumentChars += text.length;
  }
}
