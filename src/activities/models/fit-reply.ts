/** A reply in the form for the run's state: all parts are bounded, long texts are stored by reference. */

import { jsonBytes } from '../../base/json/json.js';
import { REPLY_BYTES, TEXT_BYTES, WHOLE_REPLY_BYTES } from '../../base/sizes/bounds.js';
import { cutText, cutWithoutStore, fitsText, fitted } from '../../base/text/fit.js';
import { headAndTail } from '../../base/text/large-text.js';
import type { AssistantMessage, ReasoningBlock, ToolUseBlock } from '../../run/messages/message.js';
import type { OutputContract } from '../../run/outputs/contracts.js';
import { extractJson } from '../../run/outputs/envelope.js';
import { within } from '../../shared/waits.js';

type Content = AssistantMessage['content'];

/** Stores a text in the blob store; returns its reference. */
export type StoreText = (name: string, text: string) => Promise<string>;

/** The limit for text next to calls, which is rarely important. */
const ASIDE_BYTES = 16_000;
/** The limit for data that providers want back, with reasoning and calls: unchanged, or not at all. */
const KEPT_DATA_BYTES = 48_000;
/** The limit for all reasoning. The part that no provider wants back is for people, and gets the remaining room. */
const REASONING_BYTES = KEPT_DATA_BYTES + ASIDE_BYTES;
const NAME_BYTES = 120;
const RAW_BYTES = 8_000;
const ERRORS_BYTES = 4_000;
/** The room reserved for each call, without its arguments. */
const LEAST_CALL_BYTES = 520;
/** The overhead of a text. */
const CALL_BYTES = 300;
/** Limits the time of a hanging store, so that the reply is not delayed. */
const STORE_MS = 10_000;

/** `clean` removes secrets from texts before they are cut; calls that contain secrets do not run at all. */
export async function fitReply(
  content: Content,
  callId: string,
  store: StoreText,
  clean = (text: string) => text,
): Promise<Content> {
  const hasCalls = content.some(block => block.type === 'tool_use');
  const textBytes = hasCalls ? ASIDE_BYTES : TEXT_BYTES - CALL_BYTES;
  const bounded = joinMany(dropData(joinTexts(content, textBytes), clean));
  const asides = bounded.filter(isAside).length;
  const asideBytes = roomForAsides(bounded, textBytes);
  const kept: Content = [];
  for (const [index, block] of bounded.entries()) {
    if (block.type === 'tool_use' || (block.type === 'reasoning' && block.data)) {
      kept.push(block);
      continue;
    }
    const most = isAside(block) ? asideBytes / asides : textBytes;
    const name = `${callId}-${block.type}${asides > 1 && isAside(block) ? `-${index}` : ''}`;
    kept.push({ ...block, text: await keep(name, clean(block.text), most, store) });
  }
  const spoken = kept.filter(block => block.type !== 'tool_use');
  const calls = fitCalls(
    kept.filter(block => block.type === 'tool_use'),
    REPLY_BYTES - jsonBytes(spoken) - CALL_BYTES,
  );
  return kept.map(block => (block.type === 'tool_use' ? (calls.shift() ?? block) : block));
}

/** Calls have priority, because without arguments they can't run. */
function roomForAsides(content: Content, textBytes: number): number {
  const bytesOf = (blocks: Content) => blocks.reduce((sum, block) => sum + jsonBytes(block), 0);
  const kept = bytesOf(content.filter(block => block.type === 'reasoning' && !isAside(block)));
  const calls = bytesOf(content.filter(block => block.type === 'tool_use'));
  const left = Math.min(REASONING_BYTES - kept, REPLY_BYTES - CALL_BYTES - textBytes - calls);
  return Math.max(ASIDE_BYTES, left);
}

function isAside(block: Content[number]): block is ReasoningBlock {
  return block.type === 'reasoning' && block.data === undefined;
}

/** Joins texts that are too long in total, at the place of the first: one reference then has all of it. */
function joinTexts(content: Content, maxBytes: number): Content {
  const texts = content.filter(block => block.type === 'text');
  const text = texts.map(block => block.text).join('\n');
  if (texts.length < 2 || fitsText(text, maxBytes)) return content;
  return content.flatMap((block): Content => {
    if (block.type !== 'text') return [block];
    return block === texts[0] ? [{ ...block, text }] : [];
  });
}

/** More than real replies have. Each block takes space in the reply, and some blocks take a file in the store. */
const MOST_BLOCKS = 128;

/** If there are too many blocks, joins all texts into one, and all reasoning that no provider wants back into another. */
function joinMany(content: Content): Content {
  const asides = content.filter(isAside);
  const texts = content.filter(block => block.type === 'text');
  if (asides.length + texts.length <= MOST_BLOCKS) return content;
  const textOf = (blocks: readonly { text: string }[]) => blocks.map(({ text }) => text).join('\n');
  return content.flatMap((block): Content => {
    if (block === texts[0]) return [{ type: 'text', text: textOf(texts) }];
    if (block === asides[0]) return [{ type: 'reasoning', text: textOf(asides) }];
    return block.type === 'text' || isAside(block) ? [] : [block];
  });
}

/**
 * Provider data can't be changed: if it is too large or contains secrets, it is dropped; its reasoning is then only for
 * people, and its call is sent back without it.
 */
function dropData(content: Content, clean: (text: string) => string): Content {
  let left = KEPT_DATA_BYTES;
  return content.flatMap((block): Content => {
    if (block.type === 'text' || !block.data) return [block];
    const { data, ...rest } = block;
    const text = `${block.type === 'reasoning' ? block.text : ''}${JSON.stringify(data.value)}`;
    left -= jsonBytes(block.type === 'reasoning' ? block : data);
    if (left >= 0 && clean(text) === text) return [block];
    if (block.type === 'tool_use') return [rest as ToolUseBlock];
    return block.text === '' ? [] : [{ type: 'reasoning', text: block.text }];
  });
}

async function keep(name: string, text: string, maxBytes: number, store: StoreText): Promise<string> {
  if (fitsText(text, maxBytes)) return text;
  const ref = await within(STORE_MS, store(name, text), null).catch(() => null);
  return ref === null ? cutWithoutStore(text, maxBytes) : headAndTail(text, ref, maxBytes);
}

/** Arguments stay complete or are dropped: half of them would be another call. */
function fitCalls(calls: readonly ToolUseBlock[], room: number): ToolUseBlock[] {
  let left = room;
  return calls.map((call, index) => {
    const free = (calls.length - index - 1) * LEAST_CALL_BYTES;
    const { raw, argErrors } = call;
    const bounded: ToolUseBlock = {
      ...call,
      id: cutText(call.id, NAME_BYTES),
      name: cutText(call.name, NAME_BYTES),
      ...(raw === undefined ? {} : { raw: cutText(raw, RAW_BYTES) }),
      ...(argErrors === undefined ? {} : { argErrors: fitted(argErrors, ERRORS_BYTES) }),
    };
    const kept = jsonBytes(bounded) <= left - free ? bounded : withoutArguments(call);
    left -= jsonBytes(kept) + 1;
    return kept;
  });
}

function withoutArguments(call: ToolUseBlock): ToolUseBlock {
  const bytes = jsonBytes(call.input);
  const error = `The arguments have ${bytes} bytes, more than one reply may have (${REPLY_BYTES} with all it says): do it in several smaller calls.`;
  const { id, name } = call;
  return {
    type: 'tool_use',
    id: cutText(id, NAME_BYTES),
    name: cutText(name, NAME_BYTES),
    input: {},
    argErrors: [error],
  };
}

/** Returns the text for reading the output, if the message has only a part of it, or the unrepaired form; else null. */
export function textOfOutput(text: string, contract: OutputContract, isMended = false): string | null {
  if (!isMended && fitsText(text, TEXT_BYTES - CALL_BYTES)) return null;
  if (fitsText(text, WHOLE_REPLY_BYTES)) return text;
  const json = contract === 'text' ? null : extractJson(text);
  // As JSON text, its quotes count twice.
  const readable = json ? JSON.stringify(fitted(json, WHOLE_REPLY_BYTES / 3)) : text;
  return cutText(readable, WHOLE_REPLY_BYTES);
}
