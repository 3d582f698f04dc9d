/** The messages that a run takes over from earlier runs of its conversation: the newest ones, with calls and results paired. */

import { jsonBytes, stringOr } from '../base/json/json.js';
import { BUILT_IN_WORDS, type Words } from '../base/words/words.js';
import { estimateMessageTokens } from '../run/limits/tokens.js';
import { COMPACTOR } from '../run/limits/usage-by.js';
import {
  type AssistantMessage,
  type Block,
  type Message,
  type Purpose,
  rulesOf,
  toolCallsOf,
  type UserMessage,
} from '../run/messages/message.js';
import { messageNumber, type RunRecord } from '../run/state/stored-line.js';
import { RECALL } from '../run/tools/tool.js';
import { withSummariesInPlace } from './replaced.js';

/** The messages of one run in the thread that its roles share. */
export interface EarlierRun {
  chain: string;
  /** The answer to its last goal. */
  answer: string | null;
  messages: readonly Message[];
  /** A note at its end, if its last goal got no answer. */
  noAnswer?: string | undefined;
}

/** Returns a note for the next run if this one failed or ended without an answer: otherwise its goal would seem open. */
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

/** Returns the newest messages that fit, in order, after their goal; the last summary is in place of those it replaces. */
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
  // Otherwise the first message would answer an unknown goal.
  if (!isOf('goal', newest[0])) for (const group of goalIn(before)) taken.add(group);
  return groups.filter(group => taken.has(group)).flat();
}

/** Returns the last goal with people's messages to it, which a summary leaves in place. */
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

/** True if these runs exceed the room, so that earlier ones are not needed. */
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

/** The room for the goal, in addition to the other messages. */
const GOAL_BYTES = 8_000;

function isOf(purpose: Purpose, [message]: readonly Message[] = []): boolean {
  return message?.kind === 'user' && message.purpose === purpose;
}

/** Groups each reply with the results of its calls; calls without a result are left out. */
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
    if (message.kind === 'user' && !rulesOf(message.purpose).saidAnew && !saysNothing(message.content))
      add(message);
    if (message.kind !== 'assistant' || message.role === COMPACTOR) continue;
    const content = message.content.filter(block => block.type !== 'tool_use' || results.has(block.id));
    if (saysNothing(content)) continue;
    const reply = { ...message, content };
    add(reply, ...toolCallsOf(reply).flatMap(({ id }) => results.get(id) ?? []));
  }
  if (answer !== null && !isBlank(answer) && !containsText(messages, answer))
    add(endMessage(messages, ANSWER_ID, answer));
  if (noAnswer !== undefined) add(endMessage(messages, NO_ANSWER_ID, noAnswer));
  return groups;
}

/** Endpoints refuse an empty message, and reasoning alone counts as empty. */
function saysNothing(content: Message['content']): boolean {
  const blocks: readonly Block[] = content;
  return blocks.every(
    block => block.type === 'reasoning' || (block.type === 'text' && block.text.trim() === ''),
  );
}

/** Adds the run to ids by which a model can read more: the continuing run has messages with the same ids. */
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

/** Only the part with references is changed: elsewhere `m3` may be a measure. */
function withNamedReferences(text: string, chain: string): string {
  const from = Math.max(...REFERENCES.map(title => text.lastIndexOf(title)));
  if (from < 0) return text;
  return text.slice(0, from) + text.slice(from).replace(/(?<![\w/.-])m\d+(?![\w/-]|\.\w)/g, `${chain}/$&`);
}

function containsText(messages: readonly Message[], answer: string): boolean {
  return messages.some(
    ({ kind, content }) =>
      kind === 'assistant' && content.some(block => block.type === 'text' && block.text.includes(answer)),
  );
}

/** Ids that no message of a run has. */
const ANSWER_ID = 'answer';
const NO_ANSWER_ID = 'no-answer';

/** Adds an answer that the conversation lacks: it came from a role's output, or from another role's thread. */
function endMessage(messages: readonly Message[], id: string, text: string): UserMessage {
  const { at = 0 } = messages.at(-1) ?? {};
  return { id, at, kind: 'user', purpose: 'answer', content: [{ type: 'text', text }] };
}

/** Returns the messages with new ids from `newId`, for the run that begins with them. */
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
      // This field refers to the earlier run.
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
