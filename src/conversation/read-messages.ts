/** Messages from a client that a run should begin with: checked field by field, paired, and bounded. */

import { isRecord, isText, jsonBytes, nestsDeeper, stringOr } from '../base/json/json.js';
import { REPLY_BYTES } from '../base/sizes/bounds.js';
import { expected, isAbsent } from '../base/text/output-fields.js';
import {
  type AssistantMessage,
  isUsage,
  type Message,
  NO_USAGE,
  PURPOSES,
  type Purpose,
  STOP_REASONS,
  TOOL_ENDINGS,
  type ToolContent,
  type ToolResultMessage,
  type ToolUseBlock,
  toolCallsOf,
  type UserMessage,
} from '../run/messages/message.js';
import { earlierMessages } from './earlier.js';
import { contentText } from './tool-result.js';

/** All of them are in the workflow's input, which the server limits to 2 MB. */
export const GIVEN_BYTES = 400_000;
const DEEPEST = 64;
const MOST_ERRORS = 5;

export type MessagesRead = { ok: true; messages: Message[] } | { ok: false; errors: string[] };

/** Reads any JSON. Calls without a result and results without a call are left out, as are notes that are not for models. */
export function readMessages(raw: unknown, at = 'messages'): MessagesRead {
  if (!Array.isArray(raw)) return { ok: false, errors: [expected(at, 'a list of messages', raw)] };
  if (nestsDeeper(raw, DEEPEST))
    return { ok: false, errors: [`\`${at}\` is nested deeper than ${DEEPEST} levels.`] };
  const errors: string[] = [];
  const read = raw.map((message: unknown, index) => readMessage(message, `${at}[${index}]`, errors));
  if (errors.length > 0) return { ok: false, errors: errors.slice(0, MOST_ERRORS) };
  return { ok: true, messages: paired(read.filter(message => message !== null)) };
}

/** Returns the newest messages that fit, in order, each call with its result; and the number left out for their size. */
export function newestWithin(
  messages: readonly Message[],
  bytes = GIVEN_BYTES,
): { messages: Message[]; leftOut: number } {
  const run = { chain: '', answer: null, messages };
  const within = (most: number) =>
    earlierMessages([run], { tokens: Number.POSITIVE_INFINITY, bytes: most }).map(
      ({ from: _from, ...message }) => message as Message,
    );
  const fitting = within(bytes);
  const all = messages.length === fitting.length ? fitting : within(Number.POSITIVE_INFINITY);
  return { messages: fitting, leftOut: all.length - fitting.length };
}

type Raw = Record<string, unknown>;

const KINDS = ['user', 'assistant', 'tool_result', 'cut'];

/** Null for a cut's note, which stands for missing messages. */
function readMessage(raw: unknown, at: string, errors: string[]): Message | null {
  if (!isRecord(raw)) errors.push(expected(at, 'an object { kind, content }', raw));
  else if (!KINDS.includes(stringOr(raw.kind, '')))
    errors.push(expected(`${at}.kind`, `one of ${KINDS.join(', ')}`, raw.kind));
  else if (!Array.isArray(raw.content))
    errors.push(expected(`${at}.content`, 'a list of blocks', raw.content));
  else {
    const time = typeof raw.at === 'number' && Number.isFinite(raw.at) && raw.at > 0 ? raw.at : 0;
    const head = { id: '', at: time };
    const field = new Fields(raw, at, errors);
    if (raw.kind === 'user') return userMessage(field, head, raw.content);
    if (raw.kind === 'assistant') return assistantMessage(field, head, raw.content);
    if (raw.kind === 'tool_result') return resultMessage(field, head, raw.content);
  }
  return null;
}

type Head = Pick<Message, 'id' | 'at'>;

function userMessage(field: Fields, head: Head, content: unknown[]): UserMessage {
  const purpose = field.oneOf('purpose', Object.keys(PURPOSES) as [Purpose, ...Purpose[]], 'goal');
  const texts = content.map((block, index) => field.inside(block, `content[${index}]`));
  const blocks = texts.map(block => {
    block.oneOf('type', ['text'], null);
    return { type: 'text' as const, text: block.text('text', null) };
  });
  return { ...head, kind: 'user', purpose, content: blocks };
}

function assistantMessage(field: Fields, head: Head, content: unknown[]): AssistantMessage {
  const blocks = content.map((block, index) => replyBlock(field.inside(block, `content[${index}]`)));
  const calls = blocks.some(({ type }) => type === 'tool_use');
  if (jsonBytes(content) > REPLY_BYTES) field.fault('content', `a reply of at most ${REPLY_BYTES} bytes`);
  return {
    ...head,
    kind: 'assistant',
    role: field.text('role', 'assistant'),
    content: blocks,
    stopReason: field.oneOf('stopReason', STOP_REASONS, calls ? 'tool_use' : 'end_turn'),
    action: calls ? 'calling_tool' : 'answering',
    model: field.text('model', 'unknown/unknown'),
    usage: isUsage(field.raw.usage) ? field.raw.usage : NO_USAGE,
  };
}

/** Replaces an invalid block: its type is the only fault reported. */
const NO_TEXT = { type: 'text' as const, text: '' };

function replyBlock(block: Fields): AssistantMessage['content'][number] {
  const { raw } = block;
  const data = dataOf(block);
  const type = block.oneOf('type', ['text', 'reasoning', 'tool_use'], null);
  if (type !== raw.type) return NO_TEXT;
  switch (type) {
    case 'text':
      return { type: 'text', text: block.text('text', null) };
    case 'reasoning':
      return { type: 'reasoning', text: block.text('text', ''), ...data };
    case 'tool_use': {
      const call = { id: block.text('id', null), name: block.text('name', null) };
      const input = block.record('input');
      const unparsed = isText(raw.raw) ? { raw: raw.raw } : {};
      const failed = raw.argsParseFailed === true ? { argsParseFailed: true } : {};
      return { type: 'tool_use', ...call, input, ...unparsed, ...failed, ...data };
    }
  }
}

/** Data that a provider wants back, only for its own model. */
function dataOf({ raw: { data } }: Fields): { data?: { model: string; value: unknown } } {
  return isRecord(data) && isText(data.model) ? { data: { model: data.model, value: data.value } } : {};
}

function resultMessage(field: Fields, head: Head, content: unknown[]): ToolResultMessage {
  const block = field.inside(content[0], 'content[0]');
  const { raw } = block;
  block.oneOf('type', ['tool_result'], null);
  const said = raw.content;
  if (!Array.isArray(said)) block.fault('content', 'a list of what the tool said');
  const parts = Array.isArray(said) ? said : [];
  const result = {
    type: 'tool_result' as const,
    toolUseId: block.text('toolUseId', null),
    toolName: block.text('toolName', null),
    ending: block.oneOf('ending', TOOL_ENDINGS, 'executed'),
    note: block.text('note', ''),
    content: parts.map((part, index) => toolContent(block.inside(part, `content[${index}]`))),
    isError: raw.isError === true,
    durationMs: typeof raw.durationMs === 'number' && raw.durationMs >= 0 ? raw.durationMs : 0,
  };
  return { ...head, kind: 'tool_result', content: [result] };
}

/** Content stored elsewhere by reference is not accessible to this run, so only its shown part stays. */
function toolContent(part: Fields): ToolContent {
  const type = part.oneOf('type', ['text', 'json', 'image', 'resource'], null);
  if (type !== part.raw.type) return NO_TEXT;
  if (type === 'text') return { type, text: part.text('text', null) };
  if (type === 'json') return { type, value: part.raw.value ?? null };
  if (type === 'image')
    return { type: 'text', text: contentText([{ type, mimeType: part.text('mimeType', ''), ...NOWHERE }]) };
  const shown = isText(part.raw.text) ? { text: part.raw.text } : {};
  return { type: 'resource', uri: part.text('uri', null), ...shown };
}

const NOWHERE = { ref: '', totalBytes: 0 };

/** Reads fields of one object. Faults are recorded with their path; a default of null makes the field required. */
class Fields {
  readonly raw: Raw;
  readonly at: string;
  readonly errors: string[];

  constructor(raw: Raw, at: string, errors: string[]) {
    this.raw = raw;
    this.at = at;
    this.errors = errors;
  }

  inside(value: unknown, name: string): Fields {
    const at = `${this.at}.${name}`;
    if (isRecord(value)) return new Fields(value, at, this.errors);
    this.errors.push(expected(at, 'an object', value));
    // Its fields are not reported as separate faults.
    return new Fields({}, at, []);
  }

  fault(name: string, wanted: string): void {
    this.errors.push(expected(`${this.at}.${name}`, wanted, this.raw[name]));
  }

  text(name: string, standard: string | null): string {
    const value = this.raw[name];
    if (isText(value)) return value;
    if (standard === null || !isAbsent(value)) this.fault(name, 'a text');
    return standard ?? '';
  }

  record(name: string): Raw {
    const value = this.raw[name];
    if (isRecord(value)) return value;
    this.fault(name, 'an object');
    return {};
  }

  oneOf<T extends string>(name: string, words: readonly [T, ...T[]], standard: T | null): T {
    const value = this.raw[name];
    const word = words.find(each => each === value);
    if (word !== undefined) return word;
    if (standard === null || !isAbsent(value)) this.fault(name, `one of ${words.join(', ')}`);
    return standard ?? words[0];
  }
}

/** Pairs each call with its one result, under unique ids, because endpoints repeat or omit ids. */
function paired(messages: readonly Message[]): Message[] {
  const withResult = new Set(answered(messages));
  const open = new Map<string, string>();
  let calls = 0;
  return messages.flatMap((message, index): Message[] => {
    const head = { id: `m${index + 1}` };
    if (message.kind === 'tool_result') {
      const [block] = message.content;
      const toolUseId = open.get(block.toolUseId);
      open.delete(block.toolUseId);
      if (toolUseId === undefined) return [];
      return [{ ...message, ...head, content: [{ ...block, toolUseId }] }];
    }
    if (message.kind !== 'assistant') return [{ ...message, ...head }];
    const content = message.content.flatMap((block): typeof message.content => {
      if (block.type !== 'tool_use') return [block];
      if (!withResult.has(block)) return [];
      calls += 1;
      open.set(block.id, `c${calls}`);
      return [{ ...block, id: `c${calls}` }];
    });
    return content.length === 0 ? [] : [{ ...message, ...head, content }];
  });
}

/** Returns calls with a result: for two calls with one id, the later one, unless the first was answered before it. */
function answered(messages: readonly Message[]): ToolUseBlock[] {
  const open = new Map<string, ToolUseBlock>();
  return messages.flatMap(message => {
    if (message.kind === 'assistant') for (const call of toolCallsOf(message)) open.set(call.id, call);
    if (message.kind !== 'tool_result') return [];
    const { toolUseId } = message.content[0];
    const call = open.get(toolUseId);
    open.delete(toolUseId);
    return call ? [call] : [];
  });
}
