/** The text of messages and the names of their calls, the same for all protocols. */
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

/** Appended to a reply that a person interrupted, so that the model does not take it for a complete one. */
export const INTERRUPTED_NOTE = '[The user interrupted this reply here: it is not complete.]';

export function assistantText(message: AssistantMessage): string {
  const text = textOf(message);
  return message.stopReason === 'interrupted' ? `${text}\n${INTERRUPTED_NOTE}`.trim() : text;
}

/** Returns a block's provider data if it came from `model` (`endpoint/model`); otherwise undefined. */
export function dataFor(model: string, block: { data?: ProviderData }): unknown {
  return block.data?.model === model ? block.data.value : undefined;
}

export const NO_PICTURES: Pictures = new Map();

export function picturesOf({ id }: Message, pictures: Pictures): readonly Picture[] {
  return pictures.get(id) ?? [];
}

/** Returns a result without the placeholders of pictures that are sent with it. */
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

/** Returns the id if every endpoint accepts it, otherwise one derived from it. The same id always gives the same result. */
export function wireCallId(id: string): string {
  return ID.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** Returns the name of a past call in a form that endpoints accept; models also call names that do not exist. */
export function wireToolName(name: string): string {
  if (NAME.test(name)) return name;
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}
