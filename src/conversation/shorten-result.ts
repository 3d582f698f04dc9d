/** Shortens results after they were read, so that a thread fits a model; the rest says what is missing. */

import { utf8Length } from '../base/json/json.js';
import { headChars, tailChars } from '../base/text/large-text.js';
import { fill, type Words } from '../base/words/words.js';
import type { ToolContent, ToolResultBlock } from '../run/messages/message.js';
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

/** `recallId`: the message's id, if the model can read it again by that. */
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
