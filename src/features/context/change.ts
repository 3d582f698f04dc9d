/** Applies the changes to a conversation that a function of the program asked for before a call. */
import type { Words } from '../../base/words/words.js';
import { leaveOutResult } from '../../conversation/shorten-result.js';
import type { ContextChange } from '../../conversation/transform.js';
import { anchorsOf, groupsOf, lastSummary, recallIdOf } from '../../conversation/trim.js';
import { type Message, textOf, toolCallsOf, type UserMessage } from '../../run/messages/message.js';

export interface Changed {
  messages: Message[];
  /** Messages that were removed, including the results of their calls. */
  leftOut: number;
  replaced: number;
  added: number;
  /** Refused changes: unknown ids, or messages that must stay. */
  refused: number;
  /** Messages whose results were changed. */
  lost: string[];
}

export interface ChangeRules {
  /** The current task: its instruction stays. */
  taskId: string | null;
  /** Content that is left out can be read again by its id. */
  recalls: boolean;
  words: Words;
  /** Returns a message with this text, under an id of the run. */
  say(text: string): UserMessage;
}

/** Applies the permitted changes: the current goal, people's later messages, prompts, instructions and open calls stay. */
export function applyChange(
  messages: readonly Message[],
  change: Required<ContextChange>,
  rules: ChangeRules,
): Changed {
  const stays = new Set(staying(messages, rules.taskId).map(at => messages[at]?.id));
  const free = messages.filter(({ id, kind }) => !stays.has(id) && kind !== 'cut');
  const byId = new Map(free.map(message => [message.id, message]));
  const wanted = (ids: readonly string[]) => new Set(ids.filter(id => byId.has(id)));
  const leaves = wanted(change.leaveOut);
  const gone = withResults(messages, leaves);
  const texts = new Map(change.replace.filter(({ id }) => byId.has(id)).map(({ id, text }) => [id, text]));
  let replaced = 0;
  const lost: string[] = [];
  const kept = messages.flatMap(message => {
    if (gone.has(message.id)) return [];
    const other = leaves.has(message.id) ? leftOut(message, rules) : withText(message, texts.get(message.id));
    if (other === message) return [message];
    replaced += 1;
    if (message.kind === 'tool_result') lost.push(message.id);
    return [other];
  });
  const all = insert(messages, kept, change.add, rules);
  const asked = change.leaveOut.length + change.replace.length;
  return {
    messages: all,
    leftOut: gone.size,
    replaced,
    added: all.length - kept.length,
    refused: asked - leaves.size - texts.size,
    lost: [...lost, ...gone],
  };
}

/** Messages after the last reply stay too: a request ends with them. */
function staying(messages: readonly Message[], taskId: string | null): number[] {
  const lastReply = messages.findLastIndex(({ kind }) => kind === 'assistant');
  const unread = messages.flatMap(({ kind }, at) => (at > lastReply && kind === 'user' ? [at] : []));
  return [...anchorsOf(messages, taskId, true), lastSummary(messages), ...unread];
}

/**
 * Replies and people's messages are removed whole, calls with their results. A result is never removed without its
 * call.
 */
function withResults(messages: readonly Message[], leaves: ReadonlySet<string>): Set<string> {
  const calls = new Set<string>();
  const gone = new Set<string>();
  for (const message of messages) {
    if (message.kind === 'tool_result' ? calls.has(message.content[0].toolUseId) : leaves.has(message.id))
      gone.add(message.id);
    if (message.kind === 'assistant' && gone.has(message.id))
      for (const { id } of toolCallsOf(message)) calls.add(id);
  }
  return gone;
}

function leftOut(message: Message, { words, recalls }: ChangeRules): Message {
  if (message.kind !== 'tool_result') return message;
  const short = leaveOutResult(message.content[0], words, recalls ? recallIdOf(message) : undefined);
  return short ? { ...message, content: [short.block] } : message;
}

function withText(message: Message, text: string | undefined): Message {
  if (text === undefined || text === textOf(message)) return message;
  const textBlock = { type: 'text' as const, text };
  switch (message.kind) {
    case 'user':
    case 'cut':
      return { ...message, content: [textBlock] };
    case 'tool_result':
      return { ...message, content: [{ ...message.content[0], content: [textBlock] }] };
    case 'assistant': {
      const others = message.content.filter(({ type }) => type !== 'text');
      const before = others.filter(({ type }) => type === 'reasoning');
      const calls = others.filter(({ type }) => type === 'tool_use');
      return { ...message, content: [...before, textBlock, ...calls] };
    }
  }
}

/** Inserts each message after the one that it names and its results, in the given order. */
function insert(
  messages: readonly Message[],
  kept: readonly Message[],
  add: Required<ContextChange>['add'],
  { say }: ChangeRules,
): Message[] {
  const groups = groupsOf(messages);
  const end = messages.length - 1;
  const placed = add
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, after }) => {
      const at = messages.findIndex(({ id }) => id === after);
      const behind =
        at < 0 ? end : (groups.find(({ first, last }) => at >= first && at <= last)?.last ?? end);
      return { behind, message: say(text) };
    });
  const byId = new Map(kept.map(message => [message.id, message]));
  return messages.flatMap(({ id }, index) => {
    const own = byId.get(id);
    const added = placed.filter(({ behind }) => behind === index).map(({ message }) => message);
    return own ? [own, ...added] : added;
  });
}
