/** What a message says in words, the same for all protocols. */
import type { AssistantMessage, ProviderData, ToolResultBlock } from '../core/message.js';
import { textOf } from '../core/message.js';
import { pictureIn } from '../core/tools/tool-result.js';
import type { Picture, Pictures } from './provider.js';

/** Said after a reply that a person cut off, so that it is not taken for a whole one. */
export const INTERRUPTED_NOTE = '[The user interrupted this reply here: it is not complete.]';

/** What the model said, without its reasoning. */
export function assistantText(message: AssistantMessage): string {
  const said = textOf(message);
  return message.stopReason === 'interrupted' ? `${said}\n${INTERRUPTED_NOTE}`.trim() : said;
}

/** What stands beside a block for a model `endpoint/model`; undefined for every other one. */
export function dataFor(model: string, block: { data?: ProviderData }): unknown {
  return block.data?.model === model ? block.data.value : undefined;
}

export const NO_PICTURES: Pictures = new Map();

/** The pictures of a tool result that are sent with it, in order. */
export function picturesOf(result: ToolResultBlock, pictures: Pictures): Picture[] {
  return result.content.flatMap(part => pictures.get(pictureIn(part)?.ref ?? '') ?? []);
}

export function dataUrl({ mimeType, base64 }: Picture): string {
  return `data:${mimeType};base64,${base64}`;
}
