/** Reads a model request for the rules. The rules store nothing between requests, as a model does. */

import { preview } from 'steersman/base';
import { contentText } from 'steersman/conversation';
import type { ModelRequest } from 'steersman/models';
import { type ToolResultBlock, textOf } from 'steersman/run';

/** Reads the messages since the goal, which the request carries. */
export function readConversation({ messages, output, tools, toolChoice }: ModelRequest) {
  const goalAt = messages.findLastIndex(message => message.kind === 'user' && message.purpose === 'goal');
  const since = messages.slice(Math.max(0, goalAt));
  const fromUser = since.filter(message => message.kind === 'user');
  const wishes = fromUser.filter(({ purpose }) => purpose === 'goal' || purpose === 'steer').map(textOf);
  const instructions = fromUser.filter(({ purpose }) => purpose === 'instruction').map(textOf);
  const instruction = instructions.at(-1) ?? '';
  // A role with a conversation of its own finds the goal in its instruction; a task is its own goal.
  const goal = tagged(instructions.join('\n'), 'goal') || instruction;
  const calls = since.flatMap(message => (message.kind === 'assistant' ? message.content : []));
  const results = since.flatMap(message => (message.kind === 'tool_result' ? message.content : []));
  return {
    /** The form of output that the role must return. */
    form: output,
    /** The goal, followed by the steering messages that the person sent later. */
    wishes: goalAt < 0 ? [goal, ...wishes] : wishes,
    instruction,
    taskId: fromUser.findLast(({ taskId }) => taskId !== undefined)?.taskId ?? '',
    tools: toolChoice === 'none' ? [] : tools.map(({ name }) => name),
    /** Results of the goal's calls. Skipped and cancelled calls are left out. */
    results: results.flatMap(result => {
      const call = calls.find(block => block.type === 'tool_use' && block.id === result.toolUseId);
      if (call?.type !== 'tool_use' || /^(?:skipped|cancelled)$/.test(result.ending)) return [];
      const text = contentText(result.content);
      return [{ name: call.name, args: call.input, said: text, fault: faultOf(result, text) }];
    }),
  };
}

/** Returns null if the result is the tool's complete text, else why it can't be used: notes and shortened texts can't. */
function faultOf({ ending, isError, note, content }: ToolResultBlock, text: string): string | null {
  if (ending === 'denied') return 'not allowed';
  if (ending !== 'executed' && ending !== 'reused') return 'not seen';
  if (isError) return preview(text) || 'it failed';
  const isNoted = ending === 'executed' ? note !== '' : note.includes('\n');
  const isText = content.length > 0 && content.every(part => part.type === 'text' && part.ref === undefined);
  const isShort = isNoted || !isText || /^\[… \d+ characters left out …\]$/m.test(text);
  return isShort ? 'not seen' : null;
}

/** Returns the unescaped texts between these tags, joined; empty if the tag is missing. */
export function tagged(text: string, tag: string): string {
  const found = text.matchAll(new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`, 'g'));
  return [...found].map(([, said = '']) => said.replaceAll('&lt;', '<')).join('\n\n');
}
