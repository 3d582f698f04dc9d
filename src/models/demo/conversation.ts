/** What a request says, as the rules need it: nothing is kept between requests, as for any model. */
import { textOf } from '../../core/state/message.js';
import { contentText } from '../../core/tools/tool-result.js';
import type { ModelRequest } from '../provider.js';

export type Conversation = ReturnType<typeof readConversation>;

/** Reads what was said since the goal was given. */
export function readConversation({ messages, output, tools, toolChoice }: ModelRequest) {
  const goalAt = messages.findLastIndex(message => message.kind === 'user' && message.purpose === 'goal');
  const since = messages.slice(Math.max(0, goalAt));
  const said = since.filter(message => message.kind === 'user');
  const wishes = said.filter(({ purpose }) => purpose === 'goal' || purpose === 'steer').map(textOf);
  const instructions = said.filter(({ purpose }) => purpose === 'instruction').map(textOf);
  // Where a role has a conversation of its own, its instruction tells the goal; a task stands for itself.
  const goal = tagged(instructions.join('\n'), 'goal') || (instructions.at(-1) ?? '');
  const results = since.flatMap(message => (message.kind === 'tool_result' ? message.content : []));
  const blocks = since.flatMap(message => (message.kind === 'assistant' ? message.content : []));
  return {
    /** What the role that is asked answers with. */
    form: output,
    /** The goal, then what the person said while it was worked on. */
    wishes: goalAt < 0 ? [goal, ...wishes] : wishes,
    /** Instructions of the run, and the task that it gave last. */
    instructions,
    taskId: said.findLast(({ taskId }) => taskId !== undefined)?.taskId ?? '',
    tools: toolChoice === 'none' ? [] : tools.map(({ name }) => name),
    /** Calls that have their results; of one that is cut, only its beginning and end are known. */
    calls: results.flatMap(({ toolUseId, ending, isError, note, content }) => {
      const call = blocks.find(block => block.type === 'tool_use' && block.id === toolUseId);
      if (call?.type !== 'tool_use') return [];
      const isCut = content.some(part => 'ref' in part && part.ref !== undefined);
      const text = content.length > 0 ? contentText(content) : note;
      return [{ name: call.name, args: call.input, ending, isError, text, isCut }];
    }),
  };
}

/** The text between the tags, as it was before it was marked; empty where there is none. */
export function tagged(text: string, tag: string): string {
  const found = new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`).exec(text)?.[1] ?? '';
  return found.replaceAll('&lt;', '<');
}
