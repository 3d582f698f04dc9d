/** What a message says in words, and how its calls are named, the same for all protocols. */
import { createHash } from 'node:crypto';
import { toolResultText } from '../../conversation/tool-result.js';
import type {
  AssistantMessage,
  Message,
  ProviderData,
  ToolResultMessage,
} from '../../run/messages/message.js';
import { textOf } from '../../run/messages/message.js';
import type { Picture, Pictures } from '../provider/provider.js';

/** Said after a reply that a person cut off, so that it is not taken for a whole one. */
export const INTERRUPTED_NOTE = '[The user interrupted this reply here: it is not complete.]';

export function assistantText(message: AssistantMessage): string {
  const said = textOf(message);
  return message.stopReason === 'interrupted' ? `${said}\n${INTERRUPTED_NOTE}`.trim() : said;
}

/** What stands beside a block for a model `endpoint/model`; undefined for every other one. */
export function dataFor(model: string, block: { data?: ProviderData }): unknown {
  return block.data?.model === model ? block.data.value : undefined;
}

export const NO_PICTURES: Pictures = new Map();

export function picturesOf({ id }: Message, pictures: Pictures): readonly Picture[] {
  return pictures.get(id) ?? [];
}

/** A result without the words that stand for pictures which are sent with it. */
export function shownResultText(message: ToolResultMessage, pictures: Pictures): string {
  return toolResultText(message.content[0], refsOf(message, pictures));
}

export function refsOf(message: Message, pictures: Pictures): ReadonlySet<string> {
  return new Set(picturesOf(message, pictures).map(({ ref }) => ref));
}

export function dataUrl({ mimeType, base64 }: Picture): string {
  return `data:${mimeType};base64,${base64}`;
}

const ID = /^[A-Za-z0-9_-]{1,40}$/;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The id itself where it can be sent anywhere, else one made of it: the same each time. */
export function wireCallId(id: string): string {
  return ID.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** The name of a call that is over; models call tools by names that there are not. */
export function wireToolName(name: string): string {
  if (NAME.test(name)) return name;
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}
