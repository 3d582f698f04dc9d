/** What a run begins with where its conversation began before it: the newest of what was said, calls with their results. */

import { jsonBytes, stringOr } from '../base/json/json.js';
import { BUILT_IN_WORDS, type Words } from '../base/words/words.js';
import { estimateMessageTokens } from '../run/limits/tokens.js';
import {
  type AssistantMessage,
  type Block,
  type Message,
  toolCallsOf,
  type UserMessage,
} from '../run/messages/message.js';
import { messageNumber, type RunRecord } from '../run/state/kept.js';
import { RECALL } from '../run/tools/tool.js';
import { withSummariesInPlace } from './replaced.js';
import { COMPACTOR } from './summary.js';

/** What one run of the conversation has said in the thread that its roles share. */
export interface EarlierRun {
  chain: string;
  /** Of its last goal. */
  answer: string | null;
  messages: readonly Message[];
  /** Said at its end, where its last goal came to no answer. */
  noAnswer?: string | undefined;
}

/** What the next run is told of one that failed, or ended without a word: else its goal would seem to be open. */
export function noAnswerOf(
  { outcome, answer }: Pick<RunRecord, 'outcome' | 'answer'>,
  words: Pick<Words, 'noAnswer'>,
): string | undefined {
  const hasEnded = outcome !== null;
  return hasEnded && (outcome === 'failed' || isBlank(answer)) ? words.noAnswer : undefined;
}

function isBlank(text: string | null): boolean {
  return text === null || text.trim() === '';
}

/** What each run says anew. */
const SAID_ANEW: ReadonlySet<UserMessage['purpose']> = new Set([
  'role',
  'notes',
  'files',
  'inventory',
  'compact',
  'context',
]);

/** The newest that fits, in order; before it the goal that it is about, and the last summary in the place of what it stands for. */
export function earlierMessages(runs: readonly EarlierRun[], { tokens, bytes }: Room): Message[] {
  const said = runs.flatMap(groupsOfRun);
  const groups = withSummariesInPlace(said);
  const summary = said.findLast(group => isOf('summary', group));
  const room = { tokens, bytes };
  const taken = new Set<Message[]>();
  const take = (group: Message[]) => {
    const left = { tokens: room.tokens - tokensOf(group), bytes: room.bytes - jsonBytes(group) };
    if (left.tokens < 0 || left.bytes < 0) return false;
    Object.assign(room, left);
    taken.add(group);
    return true;
  };
  if (summary) take(summary);
  const rest = groups.filter(group => group !== summary);
  const newest = rest.slice(rest.findLastIndex(group => !take(group)) + 1);
  const before = groups.slice(0, Math.max(groups.indexOf(newest[0] ?? []), 0));
  // Else the first that is there would be an answer to nothing.
  if (!isOf('goal', newest[0])) for (const group of goalIn(before)) taken.add(group);
  return groups.filter(group => taken.has(group)).flat();
}

/** The last goal, and what people said to it since: a summary has left them where they were. */
function goalIn(groups: readonly Message[][]): Message[][] {
  const at = groups.findLastIndex(group => isOf('goal', group));
  const [goal, ...since] = at < 0 ? [] : groups.slice(at);
  if (!goal) return [];
  const said = [goal, ...since.filter(group => isOf('steer', group)).reverse()];
  let room = GOAL_BYTES;
  return said.filter(group => {
    room -= jsonBytes(group);
    return room >= 0;
  });
}

/** Whether there is more in these runs than there is room for: none before them is wanted. */
export function outgrow(runs: readonly EarlierRun[], { tokens, bytes }: Room): boolean {
  const groups = withSummariesInPlace(runs.flatMap(groupsOfRun));
  return (
    groups.reduce((sum, group) => sum + tokensOf(group), 0) > tokens ||
    groups.reduce((sum, group) => sum + jsonBytes(group), 0) > bytes
  );
}

interface Room {
  tokens: number;
  bytes: number;
}

function tokensOf(group: readonly Message[]): number {
  return group.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

/** It comes on top of what fits. */
const GOAL_BYTES = 8_000;

function isOf(purpose: UserMessage['purpose'], [message]: readonly Message[] = []): boolean {
  return message?.kind === 'user' && message.purpose === purpose;
}

/** A reply goes with the results of its calls; calls that have none are left out. */
function groupsOfRun({ chain, answer, messages, noAnswer }: EarlierRun): Message[][] {
  const results = new Map(
    messages.flatMap(message =>
      message.kind === 'tool_result' ? [[message.content[0].toolUseId, message] as const] : [],
    ),
  );
  const groups: Message[][] = [];
  const add = (...group: Message[]) =>
    groups.push(
      group.map(message =>
        message.from ? message : { ...withNamedRun(message, chain), from: { chain, id: message.id } },
      ),
    );
  for (const message of messages) {
    if (message.kind === 'user' && !SAID_ANEW.has(message.purpose) && !saysNothing(message.content))
      add(message);
    if (message.kind !== 'assistant' || message.role === COMPACTOR) continue;
    const content = message.content.filter(block => block.type !== 'tool_use' || results.has(block.id));
    if (saysNothing(content)) continue;
    const reply = { ...message, content };
    add(reply, ...toolCallsOf(reply).flatMap(({ id }) => results.get(id) ?? []));
  }
  if (answer !== null && !isBlank(answer) && !isSaid(messages, answer))
    add(endMessage(messages, ANSWER_ID, answer));
  if (noAnswer !== undefined) add(endMessage(messages, NO_ANSWER_ID, noAnswer));
  return groups;
}

/** Endpoints refuse an empty message; thinking alone is none. */
function saysNothing(content: Message['content']): boolean {
  const blocks: readonly Block[] = content;
  return blocks.every(
    block => block.type === 'reasoning' || (block.type === 'text' && block.text.trim() === ''),
  );
}

/** Ids by which a model reads more, with their run: the run that goes on has messages of the same ids. */
function withNamedRun(message: Message, chain: string): Message {
  if (chain === '') return message;
  const inQuotes = (text: string) => text.replace(/"(m\d+)"/g, `"${chain}/$1"`);
  switch (message.kind) {
    case 'tool_result': {
      const [block] = message.content;
      return { ...message, content: [{ ...block, note: inQuotes(block.note) }] };
    }
    case 'assistant':
      return { ...message, content: message.content.map(block => withNamedRecall(block, chain)) };
    case 'user': {
      if (message.purpose !== 'summary') return message;
      const content = message.content.map(block => {
        const text = withNamedReferences(inQuotes(block.text), chain);
        return { ...block, text };
      });
      return { ...message, content };
    }
    case 'cut':
      return message;
  }
}

function withNamedRecall(
  block: AssistantMessage['content'][number],
  chain: string,
): AssistantMessage['content'][number] {
  if (
    block.type !== 'tool_use' ||
    block.name !== RECALL ||
    !messageNumber({ id: stringOr(block.input.id, '') })
  )
    return block;
  return { ...block, input: { ...block.input, id: `${chain}/${block.input.id}` } };
}

const REFERENCES = Object.values(BUILT_IN_WORDS).map(words => `\n${words.summaryReferences}\n- `);

/** In the part that has them: elsewhere `m3` may be a measure. */
function withNamedReferences(text: string, chain: string): string {
  const from = Math.max(...REFERENCES.map(title => text.lastIndexOf(title)));
  if (from < 0) return text;
  return text.slice(0, from) + text.slice(from).replace(/(?<![\w/.-])m\d+(?![\w/-]|\.\w)/g, `${chain}/$&`);
}

function isSaid(messages: readonly Message[], answer: string): boolean {
  return messages.some(
    ({ kind, content }) =>
      kind === 'assistant' && content.some(block => block.type === 'text' && block.text.includes(answer)),
  );
}

/** No message of a run has these. */
const ANSWER_ID = 'answer';
const NO_ANSWER_ID = 'no-answer';

/** An answer that the conversation does not hold was made of a role's output, or in a thread of another role. */
function endMessage(messages: readonly Message[], id: string, text: string): UserMessage {
  const { at = 0 } = messages.at(-1) ?? {};
  return { id, at, kind: 'user', purpose: 'answer', content: [{ type: 'text', text }] };
}

/** The messages under ids of the run that begins with them: `newId` gives one. */
export function renamed(messages: readonly Message[], newId: (prefix: 'm' | 'c') => string): Message[] {
  const calls = new Map<string, string>();
  const key = ({ from }: Message, id: string) => `${from?.chain} ${id}`;
  return messages.map(message => {
    const id = newId('m');
    if (message.kind === 'tool_result') {
      const [block] = message.content;
      const toolUseId = calls.get(key(message, block.toolUseId)) ?? newId('c');
      return { ...message, id, content: [{ ...block, toolUseId }] };
    }
    if (message.kind === 'user') {
      // Said of the run that it stands in there.
      const { replaces: _replaced, ...said } = message;
      return { ...said, id };
    }
    if (message.kind !== 'assistant') return { ...message, id };
    const content = message.content.map(block => {
      if (block.type !== 'tool_use') return block;
      const callId = newId('c');
      calls.set(key(message, block.id), callId);
      return { ...block, id: callId };
    });
    return { ...message, id, content };
  });
}
