/**
 * Assembles the tool calls of one streamed reply from their parts. Endpoints differ in how they separate calls: by an
 * index, an id, both, neither, or by one index with a new id for every part.
 */
import { isRecord, stringOr } from '../../base/json/json.js';
import type { ModelDelta } from '../provider/provider.js';
import { REPLY_BOUNDS } from '../reply/reply-bounds.js';
import { argumentText } from '../request/tool-arguments.js';

interface Part {
  /** Null if the endpoint sends no index. */
  index: number | null;
  id: string | null;
  name: string;
  text: string;
  /** Data that the endpoint wants back with the call, such as Gemini's signature; undefined if there is no such data. */
  extra: unknown;
  /** True if the part is not the first of its chunk. Parts of one call arrive in separate chunks. */
  isBeside: boolean;
}

export class ToolCalls {
  readonly #calls: OpenCall[] = [];
  #chars = 0;
  #tooMany = false;

  get count(): number {
    return this.#calls.length;
  }

  get areWhole(): boolean {
    return this.#calls.every(call => call.isWhole);
  }

  get full(): boolean {
    return this.#tooMany || this.#chars > REPLY_BOUNDS.argumentChars;
  }

  /** Reads `given`, the list of tool call parts of one chunk. */
  *read(given: unknown): Iterable<ModelDelta> {
    if (!Array.isArray(given)) return;
    const parts = given.filter(isRecord).map(toPart);
    for (const part of parts) if (!this.full) yield* this.#take(part);
  }

  /** Ends all calls at the end of the reply, and starts those that were still waiting for a name. */
  *end(): Iterable<ModelDelta> {
    for (const call of this.#calls) yield* call.end();
  }

  *#take(part: Part): Iterable<ModelDelta> {
    this.#chars += part.name.length + part.text.length;
    const open = this.#find(part);
    if (open && !beginsAnother(open, part)) {
      if (isAnybodys(part) && (part.isBeside || open.isBeside))
        for (const call of this.#calls) call.mixedUp = true;
      yield* open.add(part);
      return;
    }
    if (isEmpty(part)) return;
    this.#tooMany = this.#calls.length >= REPLY_BOUNDS.toolCalls;
    if (this.#tooMany) return;
    // An unfinished call may lack parts that were attributed to another call.
    if (open?.isUnfinished) open.mixedUp = true;
    const call = new OpenCall(this.#calls.length, part);
    this.#calls.push(call);
    yield* call.add(part);
  }

  #find({ index, id }: Part): OpenCall | undefined {
    const known = this.#calls.filter(call => index === null || call.wireIndex === index);
    return (id === null ? undefined : known.findLast(call => call.id === id)) ?? known.at(-1);
  }
}

function toPart(given: Record<string, unknown>, at: number): Part {
  const called = isRecord(given.function) ? given.function : {};
  return {
    index: indexOf(given.index),
    id: stringOr(given.id, '') || null,
    name: stringOr(called.name, ''),
    text: argumentText(called.arguments),
    extra: given.extra_content,
    isBeside: at > 0,
  };
}

/** Some gateways send the index as a text. */
function indexOf(given: unknown): number | null {
  if (typeof given === 'number') return given;
  return typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : null;
}

/** True if the part only carries extra data and belongs to no call. */
function isEmpty({ id, name, text, extra }: Part): boolean {
  return id === null && name === '' && text === '' && extra !== undefined;
}

/** True if the arguments name no call, so that any of several open calls could be meant. */
function isAnybodys({ index, id, name, text }: Part): boolean {
  return index === null && id === null && name === '' && text.trim() !== '';
}

/** True if a part begins another call than the open one that it could belong to. */
function beginsAnother(call: OpenCall, part: Part): boolean {
  const says = part.text.trim() !== '';
  if (part.id !== null && part.id === call.id) return false;
  if (part.id !== null && call.id !== null) {
    // Some servers send a new id with every part, so parts continue an unfinished call despite their id.
    return part.index === null || part.name !== '' || (says && call.isWhole);
  }
  if (part.name === '') return false;
  if (part.index === null && part.isBeside) return true;
  if (call.name === '' || !call.hasText) return call.isWhole && says;
  if (!call.isWhole) return part.name !== call.name;
  if (part.name !== call.name) return true;
  // A repeated text is either one call sent twice or two calls. Merging them gives invalid arguments, so it does not
  // run.
  return says && part.text.trim() !== call.text.trim();
}

/** A call that is still being received. Its `tool_start` is emitted once its name is known and its arguments begin. */
class OpenCall {
  readonly wireIndex: number;
  /** True if the call began in the same chunk as the call before it. */
  readonly isBeside: boolean;
  readonly #index: number;
  readonly #shape = new JsonShape();
  readonly #parts: string[] = [];
  #started = false;
  id: string | null;
  name = '';
  hasText = false;
  #extra: unknown = undefined;
  /** True if its parts can't be distinguished from those of other calls. */
  mixedUp = false;

  constructor(index: number, part: Part) {
    this.#index = index;
    this.wireIndex = part.index ?? index;
    this.isBeside = part.isBeside;
    this.id = part.id;
  }

  get text(): string {
    return this.#parts.join('');
  }

  get isWhole(): boolean {
    return this.#shape.isWhole;
  }

  get isUnfinished(): boolean {
    return this.hasText && !this.isWhole;
  }

  *add(part: Part): Iterable<ModelDelta> {
    this.id ??= part.id;
    this.#extra ??= part.extra;
    this.#addName(part.name);
    if (part.text === '') return;
    this.#shape.add(part.text);
    this.#parts.push(part.text);
    this.hasText ||= part.text.trim() !== '';
    if (this.#started) yield* this.#input(part.text);
    else if (this.name !== '' && this.hasText) yield* this.#start();
  }

  *end(): Iterable<ModelDelta> {
    if (!this.#started) yield* this.#start();
    if (isRecord(this.#extra))
      yield { type: 'tool_data', index: this.#index, value: { extra_content: this.#extra } };
    if (this.mixedUp || this.name === '') yield { type: 'tool_mixed_up', index: this.#index };
  }

  /** Endpoints send the name whole in the first part, in pieces, or in each part as far as it is known. */
  #addName(name: string): void {
    if (name === '' || name === this.name) return;
    if (this.#started) this.mixedUp = true;
    else this.name = name.startsWith(this.name) ? name : this.name + name;
  }

  *#start(): Iterable<ModelDelta> {
    this.#started = true;
    yield { type: 'tool_start', index: this.#index, id: this.id, name: this.name };
    yield* this.#input(this.text);
  }

  *#input(text: string): Iterable<ModelDelta> {
    if (text === '') return;
    yield { type: 'tool_input', index: this.#index, text };
  }
}

/** Tells whether a text that arrives in parts is a complete object, list or string, by its brackets and quotes only. */
class JsonShape {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #closed = false;

  get isWhole(): boolean {
    return this.#closed && this.#depth === 0 && !this.#inString;
  }

  add(text: string): void {
    for (const character of text) {
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString && character === '\\') this.#escaped = true;
      else if (character === '"') this.#quote();
      else if (!this.#inString) this.#bracket(character);
    }
  }

  #quote(): void {
    this.#inString = !this.#inString;
    if (!this.#inString && this.#depth === 0) this.#closed = true;
  }

  #bracket(character: string): void {
    if (character === '{' || character === '[') this.#depth += 1;
    if (character !== '}' && character !== ']') return;
    this.#depth -= 1;
    if (this.#depth === 0) this.#closed = true;
  }
}
