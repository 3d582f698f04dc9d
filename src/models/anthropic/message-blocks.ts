/** The blocks of one streamed message: what they say when it comes. */
import { isRecord, stringOr } from '../../core/text/json.js';
import type { ModelDelta } from '../provider.js';
import { REPLY_BOUNDS } from '../reply/reply-bounds.js';
import { argumentText } from '../request/tool-arguments.js';
import type { ThinkingData } from './wire-messages.js';

type Wire = Record<string, unknown>;
type Channel = 'text' | 'reasoning';

interface OpenBlock {
  type: string;
  /** Of calls. */
  call: number;
  /** A call's input as the block began with it: `{}`, but of endpoints that send it whole. */
  input: unknown;
  said: number;
  signature: string;
  /** Something of it has come after its start. */
  hasGrown: boolean;
  isDone: boolean;
}

/** What a piece is of, where an endpoint left out the start of its block. */
const BLOCK_OF_DELTA: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'tool_use',
};

export class MessageBlocks {
  readonly #blocks = new Map<unknown, OpenBlock>();
  readonly #chars: Record<Channel, number> = { text: 0, reasoning: 0 };
  #argumentChars = 0;
  #dataChars = 0;
  calls = 0;

  get full(): boolean {
    return (
      Math.max(this.#chars.text, this.#chars.reasoning, this.#dataChars) > REPLY_BOUNDS.textChars ||
      this.#argumentChars > REPLY_BOUNDS.argumentChars ||
      this.calls > REPLY_BOUNDS.toolCalls
    );
  }

  get count(): number {
    return this.#blocks.size;
  }

  /** A block of this number has begun. */
  has(index: unknown): boolean {
    return this.#blocks.has(index);
  }

  *read(event: Wire): Iterable<ModelDelta> {
    if (event.type === 'content_block_start') yield* this.#begin(event.index, event.content_block);
    if (event.type === 'content_block_delta' && isRecord(event.delta)) {
      if (this.#open(event.index) === undefined) {
        const type = BLOCK_OF_DELTA[stringOr(event.delta.type, '')];
        if (type !== undefined) yield* this.#begin(event.index, { type });
      }
      const block = this.#open(event.index);
      if (block) yield* this.#grow(block, event.delta);
    }
    if (event.type === 'content_block_stop') {
      const block = this.#open(event.index);
      if (block) yield* this.#finish(block);
    }
  }

  /**
   * At the end of the message. Some endpoints leave out the ends of blocks (Kimi's), and a reason of the end says
   * that what has come of them is whole; a call of which nothing says so is mixed up.
   */
  *end(hasReason: boolean): Iterable<ModelDelta> {
    for (const block of this.#blocks.values()) {
      if (block.isDone) continue;
      if (hasReason && block.hasGrown) yield* this.#finish(block);
      else if (block.type === 'tool_use') yield { type: 'tool_mixed_up', index: block.call };
    }
  }

  /** Where the message has no text of its own. */
  *say(text: string): Iterable<ModelDelta> {
    if (this.#chars.text === 0) yield* this.#say('text', text);
  }

  #open(index: unknown): OpenBlock | undefined {
    const block = this.#blocks.get(index);
    return block?.isDone ? undefined : block;
  }

  /** Some gateways give all blocks one number, or none: what begins where another was is the next one. */
  *#begin(index: unknown, given: unknown): Iterable<ModelDelta> {
    const before = this.#open(index);
    if (!isRecord(given) || (before && !before.hasGrown)) return;
    if (before) yield* this.#finish(before);
    const type = stringOr(given.type, '');
    const block = {
      type,
      call: this.calls,
      input: given.input,
      said: 0,
      signature: '',
      hasGrown: false,
      isDone: false,
    };
    this.#blocks.set(index, block);
    if (type === 'text') yield* this.#say('text', stringOr(given.text, ''));
    if (type === 'thinking') {
      block.signature = stringOr(given.signature, '');
      yield* this.#say('reasoning', stringOr(given.thinking, ''));
    }
    if (type === 'redacted_thinking') yield* this.#keep({ type, data: stringOr(given.data, '') });
    if (type !== 'tool_use') return;
    this.calls += 1;
    yield {
      type: 'tool_start',
      index: block.call,
      id: stringOr(given.id, '') || null,
      name: stringOr(given.name, ''),
    };
  }

  *#grow(block: OpenBlock, delta: Wire): Iterable<ModelDelta> {
    block.hasGrown = true;
    if (delta.type === 'text_delta') yield* this.#say('text', stringOr(delta.text, ''));
    if (delta.type === 'thinking_delta') yield* this.#say('reasoning', stringOr(delta.thinking, ''));
    if (delta.type === 'signature_delta') block.signature += stringOr(delta.signature, '');
    if (delta.type === 'input_json_delta' && block.type === 'tool_use') {
      yield* this.#input(block, argumentText(delta.partial_json));
    }
  }

  *#finish(block: OpenBlock): Iterable<ModelDelta> {
    block.isDone = true;
    const { type, signature, input, said } = block;
    if (type === 'thinking' && signature !== '') yield* this.#keep({ type, signature });
    const whole = argumentText(input);
    if (type === 'tool_use' && said === 0 && whole !== '{}') yield* this.#input(block, whole);
  }

  *#keep(value: ThinkingData): Iterable<ModelDelta> {
    this.#dataChars += 'data' in value ? value.data.length : value.signature.length;
    yield { type: 'reasoning_end', value };
  }

  *#say(channel: Channel, text: string): Iterable<ModelDelta> {
    if (text === '') return;
    yield { type: channel, offset: this.#chars[channel], text };
    this.#chars[channel] += text.length;
  }

  *#input(block: OpenBlock, text: string): Iterable<ModelDelta> {
    if (text === '') return;
    yield { type: 'tool_input', index: block.call, offset: block.said, text };
    block.said += text.length;
    this.#argumentChars += text.length;
  }
}
