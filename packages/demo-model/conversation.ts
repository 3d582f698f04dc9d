/** What a request says, as the rules need it. Nothing is kept between requests, as for any model. */

import { preview } from 'steersman/base';
import { contentText } from 'steersman/conversation';
import type { ModelRequest } from 'steersman/models';
import { type ToolResultBlock, textOf } from 'steersman/run';

/** Reads what was said since the goal was given. */
export function readConversation({ messages, output, tools, toolChoice }: ModelRequest) {
  const goalAt = messages.findLastIndex(message => message.kind === 'user' && message.purpose === 'goal');
  const since = messages.slice(Math.max(0, goalAt));
  const said = since.filter(message => message.kind === 'user');
  const wishes = said.filter(({ purpose }) => purpose === 'goal' || purpose === 'steer').map(textOf);
  const instructions = said.filter(({ purpose }) => purpose === 'instruction').map(textOf);
  const instruction = instructions.at(-1) ?? '';
  // Where a role has a conversation of its own, its instruction tells the goal; a task stands for itself.
  const goal = tagged(instructions.join('\n'), 'goal') || instruction;
  const calls = since.flatMap(message => (message.kind === 'assistant' ? message.content : []));
  const results = since.flatMap(message => (message.kind === 'tool_result' ? message.content : []));
  return {
    /** What the role that is asked answers with. */
    form: output,
    /** The goal, then what the person said while it was worked on. */
    wishes: goalAt < 0 ? [goal, ...wishes] : wishes,
    instruction,
    taskId: said.findLast(({ taskId }) => taskId !== undefined)?.taskId ?? '',
    tools: toolChoice === 'none' ? [] : tools.map(({ name }) => name),
    /** Results of the goal's calls; a call that was not begun is not among them. */
    results: results.flatMap(result => {
      const call = calls.find(block => block.type === 'tool_use' && block.id === result.toolUseId);
      if (call?.type !== 'tool_use' || /^(?:skipped|cancelled)$/.test(result.ending)) return [];
      const said = contentText(result.content);
      return [{ name: call.name, args: call.input, said, fault: faultOf(result, said) }];
    }),
  };
}

/** Only what a tool said, whole, is its result: notes of the run and shortened texts are not. */
function faultOf({ ending, isError, note, content }: ToolResultBlock, said: string): string | null {
  if (ending === 'denied') return 'not allowed';
  if (ending !== 'executed' && ending !== 'reused') return 'not seen';
  if (isError) return preview(said) || 'it failed';
  const isNoted = ending === 'executed' ? note !== '' : note.includes('\n');
  const isText = content.length > 0 && content.every(part => part.type === 'text' && part.ref === undefined);
  const isShort = isNoted || !isText || /^\[… \d+ characters left out …\]$/m.test(said);
  return isShort ? 'not seen' : null;
}

/** The texts between the tags, as they were before they were marked; empty where there is none. */
export function tagged(text: string, tag: string): string {
  const found = text.matchAll(new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`, 'g'));
  return [...found].map(([, said = '']) => said.replaceAll('&lt;', '<')).join('\n\n');
}
