/**
 * The tool calls of one streamed reply, put together from their parts. Endpoints differ in what tells the parts
 * of one call from those of the next: an index, an id, both, neither, or one index and a new id for every part.
 */
import { isRecord, stringOr } from '../../base/json/json.js';
import type { ModelDelta } from '../provider/provider.js';
import { REPLY_BOUNDS } from '../reply/reply-bounds.js';
import { argumentText } from '../request/tool-arguments.js';

interface Part {
  /** Null where the endpoint numbers nothing. */
  index: number | null;
  id: string | null;
  name: string;
  text: string;
  /** What the endpoint wants back with the call, as Gemini's does; undefined for nothing. */
  extra: unknown;
  /** Not the first of its chunk: parts of one call come in chunks of their own. */
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

  /** `given`: the list of one chunk. */
  *read(given: unknown): Iterable<ModelDelta> {
    if (!Array.isArray(given)) return;
    const parts = given.filter(isRecord).map(toPart);
    for (const part of parts) if (!this.full) yield* this.#take(part);
  }

  /** What waited for a name, at the end of the reply. */
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
    // What was not done may lack what was taken for another's.
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
    index: typeof given.index === 'number' ? given.index : null,
    id: stringOr(given.id, '') || null,
    name: stringOr(called.name, ''),
    text: argumentText(called.arguments),
    extra: given.extra_content,
    isBeside: at > 0,
  };
}

/** No part of a call, but something beside it. */
function isEmpty({ id, name, text, extra }: Part): boolean {
  return id === null && name === '' && text === '' && extra !== undefined;
}

/** Arguments that say nothing of whose they are: of several calls that wait, any could be meant. */
function isAnybodys({ index, id, name, text }: Part): boolean {
  return index === null && id === null && name === '' && text.trim() !== '';
}

/** Whether a part is of another call than the one that it may belong to. */
function beginsAnother(call: OpenCall, part: Part): boolean {
  const says = part.text.trim() !== '';
  if (part.id !== null && part.id === call.id) return false;
  if (part.id !== null && call.id !== null) {
    // Some servers make a new id for every part: those of a call that is not done go on with it.
    return part.index === null || part.name !== '' || (says && call.isWhole);
  }
  if (part.name === '') return false;
  if (part.index === null && part.isBeside) return true;
  if (call.name === '' || !call.hasText) return call.isWhole && says;
  if (!call.isWhole) return part.name !== call.name;
  if (part.name !== call.name) return true;
  // The same once more is one call told twice or two calls: put together it is neither, and does not run.
  return says && part.text.trim() !== call.text.trim();
}

/** A call whose end is not known. It starts, for those who read, when its name is there and its arguments begin. */
class OpenCall {
  readonly wireIndex: number;
  /** It began in one chunk with the call before it. */
  readonly isBeside: boolean;
  readonly #index: number;
  readonly #shape = new JsonShape();
  readonly #parts: string[] = [];
  #started = false;
  id: string | null;
  name = '';
  hasText = false;
  #extra: unknown = undefined;
  /** Its parts can't be told from those of others. */
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

  /** Whole in the first part, in pieces, or as far as it is known in each. */
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

/** Whether a text that comes in parts is a whole object, list or quoted text: by its brackets and quotes alone. */
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
