/** Converts a tool's result to text. Pure. */
import type { Message } from 'steersman/client';

type Result = Extract<Message, { kind: 'tool_result' }>['content'][number];

export function resultText({ note, content }: Pick<Result, 'note' | 'content'>): string {
  return [note, ...content.map(partText)].filter(Boolean).join('\n');
}

function partText(part: Result['content'][number]): string {
  if (part.type === 'json') return JSON.stringify(part.value);
  return 'text' in part && part.text !== undefined ? part.text : part.type;
}
