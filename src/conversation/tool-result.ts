/** Makes all tool results, and their text for models, in which only the tool's output is marked as data (G7). */

import { isRecord } from '../base/json/json.js';
import { oneLine, preview } from '../base/text/preview.js';
import { delimit } from '../base/words/prompt.js';
import { BUILT_IN_WORDS, fill, type WordKey, type Words } from '../base/words/words.js';
import type { CallReply, ClientAnswer } from '../run/gates/gate.js';
import type {
  AppResult,
  ToolContent,
  ToolEnding,
  ToolResultBlock,
  ToolUseBlock,
} from '../run/messages/message.js';
import { toolEnding } from '../run/tools/effect.js';
import { isRepeatable, RECALL, type ToolDefinition } from '../run/tools/tool.js';
import { ENDING_WORDS, failedNote, unknownOutcomeNote } from './tool-notes.js';

/** The built-in tool that pages texts stored by reference. */
export const READ_RESULT = 'read_result';
export function isRecall({ origin, name }: Pick<ToolDefinition, 'origin' | 'name'>): boolean {
  return origin.type === 'builtin' && name === RECALL;
}

/** The tag around a tool's output. System prompts say that text inside it is data. */
const DATA_TAG = 'tool_output';

const NOTHING: ReadonlySet<string> = new Set();

export interface ToolOutcome {
  /** Words of the run (`tool-notes.ts`), never of a tool. */
  note?: string | null;
  /** The beginning of the note, if it is not the ending's own word. */
  word?: WordKey | undefined;
  content?: ToolContent[];
  isError?: boolean;
  durationMs?: number;
  app?: AppResult | undefined;
}

export function toolResult(
  call: Pick<ToolUseBlock, 'id' | 'name'>,
  ending: ToolEnding,
  { note, word, content = [], isError, durationMs = 0, app }: ToolOutcome = {},
  words: Words = BUILT_IN_WORDS.en,
): ToolResultBlock {
  const failed = isError ?? !(ending === 'executed' || ending === 'reused');
  const error = failed && ending === 'executed' ? words.noteError : null;
  const nothing = content.length === 0 ? words.noteNothing : null;
  return {
    type: 'tool_result',
    toolUseId: call.id,
    toolName: call.name,
    ending,
    note: noteOf(words, word ?? ENDING_WORDS[ending], [error, note].filter(Boolean).join(' ') || nothing),
    content,
    isError: failed,
    durationMs,
    ...(app && { app }),
  };
}

/** Returns a person's answer as a note, because it is their own words, not data. */
export function answerResult(
  call: Pick<ToolUseBlock, 'id' | 'name'>,
  tool: Pick<ToolDefinition, 'policy'>,
  answer: CallReply,
  words: Words,
): ToolResultBlock {
  if (answer.kind === 'clientTool') return clientResult(call, tool, answer, words);
  const { text } = answer;
  const note = text === null ? words.noteNobodyAnswers : fill(words.notePersonAnswers, { text });
  return toolResult(call, 'executed', { note }, words);
}

/** Returns the result of a client's tool. Without a result, the client may have run it anyway. */
function clientResult(
  call: Pick<ToolUseBlock, 'id' | 'name'>,
  { policy }: Pick<ToolDefinition, 'policy'>,
  { content, isError, lost }: ClientAnswer,
  words: Words,
): ToolResultBlock {
  if (!lost) return toolResult(call, 'executed', { content, isError }, words);
  const failure = { kind: lost, type: '', message: '' };
  const ending = toolEnding(failure, isRepeatable(policy));
  const unknown = ending === 'outcome_unknown' ? unknownOutcomeNote(words, words.noteWhyClient) : null;
  return toolResult(call, ending, { note: unknown ?? failedNote(words, ending, failure, 1) }, words);
}

function noteOf(words: Words, key: WordKey | null, note: string | null): string {
  if (key === null || !note) return key === null ? (note ?? '') : words[key];
  return fill(words.noteEnding, { ending: words[key], note });
}

export function pictureIn(part: ToolContent): { ref: string; mimeType: string; totalBytes: number } | null {
  if (part.type !== 'image' && part.type !== 'resource') return null;
  const { ref, mimeType, totalBytes = 0 } = part;
  const isPicture = part.type === 'image' || (part.text === undefined && mimeType?.startsWith('image/'));
  return isPicture && ref !== undefined && mimeType !== undefined ? { ref, mimeType, totalBytes } : null;
}

/** Returns a tool message's text: notes, then the tool's output as data. `shown`: references of pictures sent with it. */
export function toolResultText(
  result: ToolResultBlock,
  shown: Pick<ReadonlySet<string>, 'has'> = NOTHING,
): string {
  const hidden = result.content.filter(part => !shown.has(pictureIn(part)?.ref ?? ''));
  const notes = [result.note, ...hidden.flatMap(partNote)].filter(note => note !== '');
  if (result.content.length === 0) return notes.join('\n');
  const tool = result.toolName.replace(/[^\w.-]/g, '_');
  return [...notes, delimit(DATA_TAG, contentText(result.content), { tool })].join('\n');
}

const RESULT_TEXT = new RegExp(
  `^(?:([\\s\\S]*?)\\n)?<${DATA_TAG} tool="[^"\\n]*">\\n([\\s\\S]*)\\n</${DATA_TAG}>$`,
);

/** Returns note and content of a text that `toolResultText` wrote; any other text is all content. */
export function readToolResultText(text: string): Pick<ToolResultBlock, 'note' | 'content'> {
  const parts = RESULT_TEXT.exec(text);
  const [note = '', said = text] = parts ? parts.slice(1) : [];
  return { note, content: said === '' ? [] : [{ type: 'text', text: said }] };
}

function partNote(part: ToolContent): string[] {
  if (part.type === 'json' || part.ref === undefined) return [];
  const { ref, totalBytes = 0 } = part;
  if (part.type === 'image' || (part.type === 'resource' && part.text === undefined)) {
    return [`Not shown: a part that is no text, ${totalBytes} bytes, kept as ${ref}.`];
  }
  const { headBytes = 0 } = part;
  return [`Shortened: not all of ${totalBytes} bytes are shown. Read on in ${ref} at offset ${headBytes}.`];
}

/** True if the run saw only a part of the tool's output. */
export function isCut(part: ToolContent): boolean {
  return part.type === 'text' && part.totalBytes !== undefined;
}

export function contentText(content: readonly ToolContent[]): string {
  return content.map(partText).join('\n');
}

function partText(part: ToolContent): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'json':
      return JSON.stringify(part.value) ?? 'null';
    case 'image':
      return `[image ${part.mimeType}]`;
    case 'resource': {
      const head = `[resource ${part.uri}${part.mimeType === undefined ? '' : ` ${part.mimeType}`}]`;
      return part.text === undefined ? head : `${head}\n${part.text}`;
    }
  }
}

export function resultText({ note, content }: Pick<ToolResultBlock, 'note' | 'content'>): string {
  return [note, contentText(content)].filter(text => text !== '').join('\n');
}

// A tool's result on one line, for events: the content of JSON without its punctuation. Pure.

/** Larger results are shortened before this. */
const MOST_JSON_CHARS = 100_000;
const MOST_NAMES = 8;
/** Fields that name an entry of a list; the first one present is used. */
const NAMES = ['name', 'path', 'title', 'id', 'key', 'uri'];

export function resultPreview(text: string, max?: number): string {
  return preview(outlineOf(text) ?? text, max);
}

/** Returns the text of a result for events, and whether it says less than the result. */
export function eventTextOf(text: string): { text: string; cut?: true } {
  const preview = resultPreview(text);
  // The beginning of a long text mostly says more already.
  const head = oneLine(text.slice(0, preview.length * 4));
  const isCut = head.length > preview.length || preview !== oneLine(text);
  return { text: preview, ...(isCut && { cut: true as const }) };
}

/** Null for text that is not JSON, or is empty. */
function outlineOf(text: string): string | null {
  const start = text.trimStart()[0];
  if ((start !== '[' && start !== '{') || text.length > MOST_JSON_CHARS) return null;
  try {
    return outline(JSON.parse(text));
  } catch {
    return null;
  }
}

function outline(value: unknown): string | null {
  if (Array.isArray(value)) return listOutline(value);
  if (!isRecord(value)) return null;
  const parts = Object.entries(value).map(([key, inner]) => `${key}: ${short(inner)}`);
  return parts.length === 0 ? null : parts.join(' · ');
}

function listOutline(values: readonly unknown[]): string {
  const count = `${values.length} ${values.length === 1 ? 'entry' : 'entries'}`;
  const names = values.slice(0, MOST_NAMES).map(nameOf);
  if (names.length === 0 || names.includes(null)) return count;
  return `${count}: ${names.join(', ')}${values.length > MOST_NAMES ? ', …' : ''}`;
}

function nameOf(value: unknown): string | null {
  if (!isRecord(value)) return Array.isArray(value) ? null : String(value);
  const name = NAMES.map(field => value[field]).find(
    found => typeof found === 'string' || typeof found === 'number',
  );
  return name === undefined ? null : String(name);
}

function short(value: unknown): string {
  if (Array.isArray(value)) return listOutline(value);
  return isRecord(value) ? `{${Object.keys(value).join(', ')}}` : String(value);
}
