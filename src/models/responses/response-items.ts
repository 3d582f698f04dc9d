/** Reads the items of one streamed response as deltas while they arrive. Repeated text is emitted once only. */
import { isRecord, stringOr } from '../../base/json/json.js';
import type { ModelDelta } from '../provider/provider.js';
import { type Channel, ReplyParts, type Wire } from '../reply/reply-bounds.js';
import { argumentText } from '../request/tool-arguments.js';

interface OpenItem {
  type: string;
  /** Empty if the endpoint sent no id. */
  id: string;
  /** The endpoint's `output_index`, as text. */
  place: string;
  /** Index of the tool call; only meaningful for calls. */
  index: number;
  said: string;
  part: string;
  isDone: boolean;
  /** True if the reasoning data that the provider wants back has arrived. */
  isSealed: boolean;
  /** The event that ended a call's arguments; null before it. */
  ended: Wire | null;
}

/** For each event that carries a piece of an item: the channel of the piece, and the field with its part number. */
const PIECES: Readonly<Record<string, { channel: Channel | 'input'; part: string }>> = {
  'response.output_text.delta': { channel: 'text', part: 'content_index' },
  'response.refusal.delta': { channel: 'text', part: 'content_index' },
  'response.reasoning_summary_text.delta': { channel: 'reasoning', part: 'summary_index' },
  'response.reasoning_text.delta': { channel: 'reasoning', part: 'content_index' },
  'response.function_call_arguments.delta': { channel: 'input', part: '' },
  'response.custom_tool_call_input.delta': { channel: 'input', part: '' },
};

/** Events that end the arguments of a call. Some servers send nothing else that ends the call. */
const ENDS_ARGUMENTS: ReadonlySet<unknown> = new Set([
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.done',
]);

/** The type of item that each channel belongs to. */
const ITEM_OF: Readonly<Record<Channel | 'input', string>> = {
  text: 'message',
  reasoning: 'reasoning',
  input: 'function_call',
};

const PARAGRAPH = '\n\n';
/** Bounded because all items are searched for each piece. */
const MOST_ITEMS = 512;

/**
 * An event's id and index tell which item it belongs to. Endpoints that translate another protocol may omit either,
 * repeat it, or renew it in each event (github.com/BerriAI/litellm/pull/36375,
 * github.com/lemonade-sdk/lemonade/issues/3607). Then the event belongs to the last unfinished item of its type.
 */
export class ResponseItems extends ReplyParts {
  readonly #items: OpenItem[] = [];
  /** True if text has been emitted on the channel that further text would continue. */
  readonly #open: Record<Channel, boolean> = { text: false, reasoning: false };
  /** True if the model refused, in words. */
  refused = false;

  override get full(): boolean {
    return super.full || this.#items.length > MOST_ITEMS;
  }

  *read(event: Wire): Iterable<ModelDelta> {
    const place = String(event.output_index ?? '');
    if (event.type === 'response.output_item.added') yield* this.#add(place, event.item);
    else if (event.type === 'response.output_item.done') yield* this.#finish(place, event.item);
    else if (ENDS_ARGUMENTS.has(event.type)) this.#endArguments(place, event);
    else yield* this.#grow(place, event);
  }

  /** Reads the items as the end of a response repeats them, and adds what did not arrive before. */
  *readWhole(output: unknown): Iterable<ModelDelta> {
    const left = [...this.#items];
    for (const item of Array.isArray(output) ? output.filter(isRecord) : []) {
      const { type, id } = ofItem(item);
      const known = left.find(one => id !== '' && one.id === id) ?? left.find(one => one.type === type);
      if (known) left.splice(left.indexOf(known), 1);
      if (known?.isDone && type === 'reasoning') yield* this.#sealLate(known, item);
      yield* this.#finishAs(known ?? (yield* this.#begin('', item)), item);
    }
  }

  /** LiteLLM sends reasoning data only at the end. With several items it is unclear which data belongs to which. */
  *#sealLate(open: OpenItem, item: Wire): Iterable<ModelDelta> {
    if (this.#items.filter(({ type }) => type === 'reasoning').length === 1) yield* this.#seal(open, item);
  }

  /** Marks calls as mixed up that have begun, but that no event has declared complete. */
  *end(): Iterable<ModelDelta> {
    for (const item of this.#items) {
      if (item.type !== 'function_call' || item.isDone) continue;
      if (item.ended) yield* this.#finishCall(item, item.ended);
      else yield { type: 'tool_mixed_up', index: item.index };
    }
  }

  /** Adds an item, unless it repeats one that is still empty. */
  *#add(place: string, item: unknown): Iterable<ModelDelta> {
    if (!isRecord(item)) return;
    const { type, id } = ofItem(item);
    const isKnown = this.#items.some(one =>
      id !== '' && one.id !== '' ? one.id === id : one.type === type && one.place === place && isEmpty(one),
    );
    if (!isKnown) yield* this.#begin(place, item);
  }

  *#begin(place: string, item: Wire): Generator<ModelDelta, OpenItem> {
    const open = {
      ...ofItem(item),
      place,
      index: this.calls,
      said: '',
      part: '',
      isDone: false,
      isSealed: false,
      ended: null,
    };
    this.#items.push(open);
    if (open.type === 'function_call')
      yield* this.startCall(stringOr(item.call_id, ''), stringOr(item.name, ''));
    return open;
  }

  *#grow(place: string, event: Wire): Iterable<ModelDelta> {
    const piece = PIECES[String(event.type)];
    const text = stringOr(event.delta, '');
    if (!piece || text === '') return;
    const type = ITEM_OF[piece.channel];
    const open = this.#unfinished(type, stringOr(event.item_id, ''), place);
    // The name of a call without a start is unknown, so it only counts if it arrives whole.
    if (!open && type === 'function_call') return;
    const item = open ?? (yield* this.#begin(place, { type, id: event.item_id }));
    this.refused ||= event.type === 'response.refusal.delta';
    if (piece.channel === 'input') yield* this.#input(item, text);
    else yield* this.#say(item, piece.channel, `${event.type} ${event[piece.part] ?? 0}`, text);
  }

  #endArguments(place: string, event: Wire): void {
    const open = this.#unfinished('function_call', stringOr(event.item_id, ''), place);
    if (open) open.ended = event;
  }

  #unfinished(type: string, id: string, place: string): OpenItem | undefined {
    const open = this.#items.filter(item => item.type === type && !item.isDone);
    const byId = id === '' ? undefined : open.find(item => item.id === id);
    return byId ?? open.findLast(item => item.place === place) ?? open.at(-1);
  }

  *#finish(place: string, item: unknown): Iterable<ModelDelta> {
    if (!isRecord(item)) return;
    const { type, id } = ofItem(item);
    if (this.#items.some(one => one.isDone && id !== '' && one.id === id)) return;
    yield* this.#finishAs(this.#unfinished(type, id, place) ?? (yield* this.#begin(place, item)), item);
  }

  *#finishAs(open: OpenItem, item: Wire): Iterable<ModelDelta> {
    if (open.isDone) return;
    open.isDone = true;
    if (open.type === 'function_call') yield* this.#finishCall(open, item);
    if (open.type === 'message') yield* this.#sayParts(open, 'text', item.content);
    if (open.type === 'reasoning') yield* this.#finishReasoning(open, item);
  }

  *#finishCall(open: OpenItem, item: Wire): Iterable<ModelDelta> {
    const whole = argumentText(item.arguments ?? item.input);
    if (whole.startsWith(open.said)) yield* this.#input(open, whole.slice(open.said.length));
    else if (whole !== '') yield { type: 'tool_mixed_up', index: open.index };
  }

  *#finishReasoning(open: OpenItem, item: Wire): Iterable<ModelDelta> {
    yield* this.#sayParts(open, 'reasoning', item.summary);
    yield* this.#seal(open, item);
    // Marks the reasoning's place among the items, for data that may arrive at the end.
    if (!open.isSealed) yield { type: 'reasoning', text: '' };
  }

  *#seal(open: OpenItem, { id, summary, encrypted_content }: Wire): Iterable<ModelDelta> {
    if (open.isSealed || typeof encrypted_content !== 'string' || encrypted_content === '') return;
    // The API does not take reasoning back in any other form.
    if (typeof id !== 'string' || !Array.isArray(summary)) return;
    open.isSealed = true;
    this.#open.reasoning = false;
    yield { type: 'reasoning_end', value: { type: 'reasoning', id, summary, encrypted_content } };
  }

  /** Emits the text that continues what the item has emitted. If the parts contradict it, they are ignored. */
  *#sayParts(open: OpenItem, channel: Channel, parts: unknown): Iterable<ModelDelta> {
    let before = open.said;
    for (const [index, part] of (Array.isArray(parts) ? parts : []).entries()) {
      if (!isRecord(part)) continue;
      this.refused ||= part.type === 'refusal';
      const text = stringOr(part.text, stringOr(part.refusal, ''));
      const known = before.slice(0, text.length);
      if (!text.startsWith(known)) return;
      before = before.slice(known.length);
      const rest = text.slice(known.length);
      if (rest !== '') yield* this.#say(open, channel, known === '' ? String(index) : open.part, rest);
    }
  }

  /** Parts and items are separated as paragraphs; otherwise their words would run together. */
  *#say(item: OpenItem, channel: Channel, part: string, piece: string): Iterable<ModelDelta> {
    const begins = item.part !== part && this.#open[channel];
    item.part = part;
    this.#open[channel] = true;
    item.said += piece;
    yield* this.put(channel, begins ? PARAGRAPH + piece : piece);
  }

  *#input(item: OpenItem, text: string): Iterable<ModelDelta> {
    item.said += text;
    yield* this.input(item.index, text);
  }
}

/** Treats calls of custom tools, which are never offered, like others; arguments that the tool does not know are refused. */
function ofItem({ type, id }: Wire): Pick<OpenItem, 'type' | 'id'> {
  return { type: type === 'custom_tool_call' ? 'function_call' : stringOr(type, ''), id: stringOr(id, '') };
}

function isEmpty({ said, isDone }: OpenItem): boolean {
  return said === '' && !isDone;
}
