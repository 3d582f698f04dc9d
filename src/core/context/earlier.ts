/** What a run begins with where its conversation began before it: the newest of what was said, calls with their results. */
import { estimateMessageTokens } from '../limits/tokens.js';
import { type Message, toolCallsOf, type UserMessage } from '../state/message.js';
import { jsonBytes } from '../text/json.js';
import { COMPACTOR } from './summary.js';

/** What one run of the conversation has said in the thread that its roles share. */
export interface EarlierRun {
  chain: string;
  /** Of its last goal. */
  answer: string | null;
  messages: readonly Message[];
}

/** What each run says anew. */
const SAID_ANEW: ReadonlySet<UserMessage['purpose']> = new Set([
  'role',
  'notes',
  'files',
  'inventory',
  'compact',
]);

/** The newest that fits, in order; before it the goal that it is about, and nothing from before the last summary. */
export function earlierMessages(
  runs: readonly EarlierRun[],
  { tokens, bytes }: { tokens: number; bytes: number },
): Message[] {
  const groups = runs.flatMap(groupsOfRun);
  const from = groups.findLastIndex(([first]) => first?.kind === 'user' && first.purpose === 'summary');
  const room = { tokens, bytes };
  const taken: Message[][] = [];
  const take = (group: Message[]) => {
    room.tokens -= group.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    room.bytes -= jsonBytes(group);
    const fits = room.tokens >= 0 && room.bytes >= 0;
    if (fits) taken.unshift(group);
    return fits;
  };
  const summary = groups[from];
  const goalBefore = (at: number) => groups.slice(0, at).findLast(([first]) => isGoal(first));
  if (summary && !take(summary)) return [];
  const open = summary ? taken.splice(0) : [];
  for (let at = groups.length - 1; at > from; at--) if (!take(groups[at] ?? [])) break;
  const firstAt = groups.length - taken.length;
  // Else the first that is there would be an answer to nothing.
  const goal =
    taken.length > 0 && !isGoal(taken[0]?.[0]) && firstAt > from + 1 ? goalBefore(firstAt) : undefined;
  const isKnown = goal && open.includes(goal);
  return [...open, ...(goal && !isKnown && jsonBytes(goal) <= GOAL_BYTES ? [goal] : []), ...taken].flat();
}

/** It comes on top of what fits. */
const GOAL_BYTES = 8_000;

function isGoal(message: Message | undefined): boolean {
  return message?.kind === 'user' && message.purpose === 'goal';
}

/** A reply goes with the results of its calls; calls that have none are left out. */
function groupsOfRun({ chain, answer, messages }: EarlierRun): Message[][] {
  const results = new Map(
    messages.flatMap(message =>
      message.kind === 'tool_result' ? [[message.content[0].toolUseId, message] as const] : [],
    ),
  );
  const groups: Message[][] = [];
  const add = (...group: Message[]) =>
    groups.push(group.map(message => ({ ...message, from: message.from ?? { chain, id: message.id } })));
  for (const message of messages) {
    if (message.kind === 'user' && !SAID_ANEW.has(message.purpose)) add(message);
    if (message.kind !== 'assistant' || message.role === COMPACTOR) continue;
    const content = message.content.filter(block => block.type !== 'tool_use' || results.has(block.id));
    if (content.every(block => block.type === 'reasoning')) continue;
    const reply = { ...message, content };
    add(reply, ...toolCallsOf(reply).flatMap(({ id }) => results.get(id) ?? []));
  }
  if (answer !== null && !isSaid(messages, answer)) add(answerMessage(messages, answer));
  return groups;
}

function isSaid(messages: readonly Message[], answer: string): boolean {
  return messages.some(
    ({ kind, content }) =>
      kind === 'assistant' && content.some(block => block.type === 'text' && block.text.includes(answer)),
  );
}

/** Where the conversation does not hold it: it was made of a role's output, or in a thread of another role. */
function answerMessage(messages: readonly Message[], text: string): UserMessage {
  const { id = 'm0', at = 0 } = messages.at(-1) ?? {};
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
