/** Shortens results after they were read, so that a thread fits a model; the rest says what is missing. */

import { canonicalJson, utf8Length } from '../base/json/json.js';
import { measuredOnce } from '../base/sizes/sizes.js';
import { headChars, tailChars } from '../base/text/large-text.js';
import { fill, type Words } from '../base/words/words.js';
import {
  type Message,
  rulesOf,
  type ToolContent,
  type ToolResultBlock,
  type ToolUseBlock,
  textOf,
  toolCallsOf,
} from '../run/messages/message.js';
import { leftOutNote } from './tool-notes.js';
import { contentText } from './tool-result.js';

/** A text up to this length stays; a longer one keeps these parts of its beginning and end. */
const WHOLE_CHARS = 2_000;
const HEAD_CHARS = 800;
const TAIL_CHARS = 400;
/** A shorter result is not worth replacing by a note. */
const STUB_CHARS = 200;

export interface ShortResult {
  block: ToolResultBlock;
  /** The complete result can still be read by its reference. */
  readable: boolean;
}

/** `recallId`: the id by which the model can read the message again, if it can. */
export function shortenResult(block: ToolResultBlock, words: Words, recallId?: string): ShortResult | null {
  const content = block.content.map(shortPart);
  if (content.every((part, index) => part === block.content[index])) return null;
  const readable = content.every(
    (part, index) => part === block.content[index] || (part.type !== 'json' && part.ref !== undefined),
  );
  if (readable) return { block: { ...block, content }, readable };
  const how =
    recallId === undefined ? words.noteShortened : fill(words.noteShortenedRecall, { id: recallId });
  return {
    block: { ...block, note: withNote(block.note, how), content },
    readable: recallId !== undefined,
  };
}

/** Replaces the content by a line; null if that would save nothing. */
export function leaveOutResult(block: ToolResultBlock, words: Words, recallId?: string): ShortResult | null {
  const length = contentText(block.content).length;
  if (length <= STUB_CHARS) return null;
  const refs = block.content.flatMap(part => (part.type !== 'json' && part.ref ? [part.ref] : []));
  const shortened =
    recallId === undefined ? words.noteShortened : fill(words.noteShortenedRecall, { id: recallId });
  const note = withNote(
    block.note.replace(shortened, '').trim(),
    leftOutNote(words, block.toolName, length, { refs, recallId }),
  );
  return { block: { ...block, note, content: [] }, readable: recallId !== undefined };
}

function withNote(note: string, more: string): string {
  return note === '' ? more : `${note}\n${more}`;
}

function shortPart(part: ToolContent): ToolContent {
  if (part.type === 'image') return part;
  const text = part.type === 'json' ? JSON.stringify(part.value) : (part.text ?? '');
  if (text.length <= WHOLE_CHARS) return part;
  const head = headChars(text, HEAD_CHARS);
  const left = text.length - HEAD_CHARS - TAIL_CHARS;
  const short = `${head}\n[… ${left} characters left out …]\n${tailChars(text, TAIL_CHARS)}`;
  if (part.type === 'json') return { type: 'text', text: short };
  return part.ref === undefined
    ? { ...part, text: short }
    : { ...part, text: short, headBytes: utf8Length(head) };
}

// The order in which results are left out: what is outdated, then what takes the most room (SE3).

/** A shorter result takes hardly more room than the note in its place. */
const SHORT_CHARS = 1_000;
/** Argument names for the file of a call, and those by which a call gives it another content. */
const PATHS = ['path', 'file_path', 'filePath', 'file'];
const WRITES = [
  'content',
  'contents',
  'file_text',
  'edits',
  'old_string',
  'oldText',
  'new_string',
  'newText',
];
/** Arguments that ask for a part of a file. */
const PARTS = ['offset', 'limit', 'view_range', 'lines'];

/** A result stays for this many replies after the last call that names its file; without such a call, after its own. */
const NEEDED_REPLIES = 10;

export interface Unneeded {
  at: number;
  /** The number of replies by which it has stayed longer than that. */
  replies: number;
}

/** Returns all results of old calls, oldest first, even if later calls needed them. */
export function oldResults(messages: readonly Message[]): Unneeded[] {
  const old: Unneeded[] = [];
  let replies = 0;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const { kind } = messages[at] as Message;
    if (kind === 'assistant') replies += 1;
    // The reply that made the call is not counted.
    if (kind === 'tool_result' && replies > NEEDED_REPLIES)
      old.push({ at, replies: replies - NEEDED_REPLIES });
  }
  return old.reverse();
}

/** Returns old results that no later call needed, except short ones and files that people's words name. */
export function unneededResults(messages: readonly Message[]): Unneeded[] {
  const calls = callsOf(messages);
  const keyOf = (call: ToolUseBlock) => pathOf(call) ?? `#${call.id}`;
  const replies = messages.filter(message => message.kind === 'assistant');
  const lastUse = new Map(
    replies.flatMap((reply, at) => toolCallsOf(reply).map(call => [keyOf(call), at] as const)),
  );
  return inOrderOfWorth(messages, true).flatMap(at => {
    const message = messages[at];
    const call = message?.kind === 'tool_result' ? calls.get(message.content[0].toolUseId) : undefined;
    const used = call && lastUse.get(keyOf(call));
    const since = used === undefined ? 0 : replies.length - 1 - used - NEEDED_REPLIES;
    return since > 0 ? [{ at, replies: since }] : [];
  });
}

interface Result {
  at: number;
  chars: number;
  isError: boolean;
  call: ToolUseBlock | undefined;
}

/** Returns the positions of results, in the order in which they are left out. `thins`: only results of little worth. */
export function inOrderOfWorth(messages: readonly Message[], thins: boolean): number[] {
  const calls = callsOf(messages);
  const results: Result[] = messages.flatMap((message, at) => {
    if (message.kind !== 'tool_result') return [];
    const [{ toolUseId, content, isError }] = message.content;
    return [{ at, chars: charsOf(content), isError, call: calls.get(toolUseId) }];
  });
  const asked = messages
    .flatMap(message =>
      message.kind === 'user' && rulesOf(message.purpose).ofPerson ? [textOf(message)] : [],
    )
    .join('\n');
  const outdated = new Set(outdatedOf(results));
  const isWorthMore = ({ chars, call }: Result) => chars < SHORT_CHARS || isNamed(asked, call);
  const others = results.filter(result => !outdated.has(result));
  const large = others
    .filter(result => !isWorthMore(result))
    .sort((a, b) => b.chars - a.chars || a.at - b.at);
  const rest = thins ? [] : others.filter(isWorthMore);
  return [...outdated, ...large, ...rest].map(({ at }) => at);
}

function callsOf(messages: readonly Message[]): Map<string, ToolUseBlock> {
  const replies = messages.filter(message => message.kind === 'assistant');
  return new Map(replies.flatMap(reply => toolCallsOf(reply).map(call => [call.id, call] as const)));
}

/** True if a person's words name the file of the call. */
function isNamed(asked: string, call: ToolUseBlock | undefined): boolean {
  const path = pathOf(call);
  if (path === null) return false;
  const name = path.split('/').at(-1) ?? '';
  const isWord = (text: string) => text.length > 2 && asked.includes(text);
  return isWord(path) || (name.includes('.') && isWord(name));
}

function pathOf(call: ToolUseBlock | undefined): string | null {
  return call === undefined ? null : pathOfCall(call);
}

// Calls and results never change, and a long conversation asks for each many times.

const charsOf = measuredOnce((content: readonly ToolContent[]) => contentText(content).length);

const pathOfCall = measuredOnce<ToolUseBlock, string | null>(({ input }) => {
  const found = PATHS.map(name => input[name]).find(value => typeof value === 'string');
  return typeof found === 'string' && found !== '' ? found.replace(/^\.\//, '') : null;
});

/** The tool and the arguments of a call. */
const textOfCall = measuredOnce<ToolUseBlock, string>(({ name, input }) => `${name} ${canonicalJson(input)}`);

/** Returns results that a later call repeats, reads in full, or makes untrue by writing the file; oldest first. */
function outdatedOf(results: readonly Result[]): Result[] {
  const repeated = new Set<string>();
  const readWhole = new Set<string>();
  const written = new Set<string>();
  const outdated: Result[] = [];
  for (const result of results.toReversed()) {
    const { call } = result;
    if (!call) continue;
    const path = pathOf(call);
    const key = textOfCall(call);
    const isWrite = WRITES.some(name => name in call.input);
    const ofPath = `${call.name} ${path}`;
    const isOld = path !== null && (written.has(path) || readWhole.has(ofPath));
    if (!isWrite && (repeated.has(key) || isOld)) outdated.push(result);
    if (result.isError) continue;
    repeated.add(key);
    if (path === null) continue;
    if (isWrite) written.add(path);
    else if (!PARTS.some(name => name in call.input) && Object.keys(call.input).length === 1)
      readWhole.add(ofPath);
  }
  return outdated.toReversed();
}
