/** Turns as the API sees them: messages of one side in a row are one. */
import type { MessagesBlock, MessagesMessage } from './schema.js';

export interface Turn {
  role: MessagesMessage['role'];
  blocks: { block: MessagesBlock /** Place in the request, for words. */; at: string }[];
  /** Of its first message. */
  index: number;
}

export function turnsOf(messages: readonly MessagesMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const given: MessagesBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const blocks = given.map((block, number) => ({ block, at: `messages.${index}.content.${number}` }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks, index });
  }
  return turns;
}
