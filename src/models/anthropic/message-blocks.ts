/** Reads the blocks of one streamed message as canonical deltas, while they arrive. */
import { isRecord, stringOr } from '../../base/json/json.js';
import type { ModelDelta } from '../provider/provider.js';
import { REPLY_BOUNDS, ReplyParts, type Wire } from '../reply/reply-bounds.js';
import { argumentText } from '../request/tool-arguments.js';
import type { ThinkingData } from './wire-messages.js';

interface OpenBlock {
  type: string;
  /** Index of the tool call; only meaningful for blocks of type `tool_use`. */
  call: number;
  /** The input with which a call's block began: `{}`, except from endpoints that send the whole input there. */
  input: unknown;
  hasInput: boolean;
  signature: string;
  /** True once a delta of this block has arrived after its start. */
  hasGrown: boolean;
  isDone: boolean;
}

/** The block type that each delta belongs to, for endpoints that omit `content_block_start`. */
const BLOCK_OF_DELTA: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'tool_use',
};

export class MessageBlocks extends ReplyParts {
  readonly #blocks = new Map<unknown, OpenBlock>();
  #dataChars = 0;

  override get full(): boolean {
    return super.full || this.#dataChars > REPLY_BOUNDS.textChars;
  }

  get count(): number {
    return this.#blocks.size;
  }

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
   * Ends the message. Some endpoints (Kimi's) omit `content_block_stop`. If the message has a stop reason, open blocks
   * that grew count as complete; other open calls are mixed up.
   */
  *end(hasReason: boolean): Iterable<ModelDelta> {
    for (const block of this.#blocks.values()) {
      if (block.isDone) continue;
      if (hasReason && block.hasGrown) yield* this.#finish(block);
      else if (block.type === 'tool_use') yield { type: 'tool_mixed_up', index: block.call };
    }
  }

  /** Adds `text`, but only if the message has no text of its own. */
  *say(text: string): Iterable<ModelDelta> {
    if (this.chars.text === 0) yield* this.put('text', text);
  }

  #open(index: unknown): OpenBlock | undefined {
    const block = this.#blocks.get(index);
    return block?.isDone ? undefined : block;
  }

  /** Some gateways give all blocks one index, or none: a start at the index of a block that has grown begins a new block. */
  *#begin(index: unknown, given: unknown): Iterable<ModelDelta> {
    const before = this.#open(index);
    if (!isRecord(given) || (before && !before.hasGrown)) return;
    if (before) yield* this.#finish(before);
    const type = stringOr(given.type, '');
    const block = {
      type,
      call: this.calls,
      input: given.input,
      hasInput: false,
      signature: '',
      hasGrown: false,
      isDone: false,
    };
    this.#blocks.set(index, block);
    if (type === 'text') yield* this.put('text', stringOr(given.text, ''));
    if (type === 'thinking') {
      block.signature = stringOr(given.signature, '');
      yield* this.put('reasoning', stringOr(given.thinking, ''));
    }
    if (type === 'redacted_thinking') yield* this.#keep({ type, data: stringOr(given.data, '') });
    if (type === 'tool_use') yield* this.startCall(stringOr(given.id, ''), stringOr(given.name, ''));
  }

  *#grow(block: OpenBlock, delta: Wire): Iterable<ModelDelta> {
    block.hasGrown = true;
    if (delta.type === 'text_delta') yield* this.put('text', stringOr(delta.text, ''));
    if (delta.type === 'thinking_delta') yield* this.put('reasoning', stringOr(delta.thinking, ''));
    if (delta.type === 'signature_delta') block.signature += stringOr(delta.signature, '');
    if (delta.type === 'input_json_delta' && block.type === 'tool_use') {
      const text = argumentText(delta.partial_json);
      block.hasInput ||= text !== '';
      yield* this.input(block.call, text);
    }
  }

  *#finish(block: OpenBlock): Iterable<ModelDelta> {
    block.isDone = true;
    const { type, signature, input, hasInput } = block;
    if (type === 'thinking' && signature !== '') yield* this.#keep({ type, signature });
    const whole = argumentText(input);
    if (type === 'tool_use' && !hasInput && whole !== '{}') yield* this.input(block.call, whole);
  }

  *#keep(value: ThinkingData): Iterable<ModelDelta> {
    this.#dataChars += 'data' in value ? value.data.length : value.signature.length;
    yield { type: 'reasoning_end', value };
  }
}
