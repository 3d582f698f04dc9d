/** The built-in tool with which a model reads earlier messages of its conversation that are no longer shown (X7). */
import { setImmediate } from 'node:timers/promises';
import { headChars } from '../../base/text/large-text.js';
import { COMPACTOR } from '../../run/limits/usage-by.js';
import {
  type Message,
  type ToolUseBlock,
  toolCallsOf,
  type UserMessage,
} from '../../run/messages/message.js';
import { messageNumber, type RunRecord } from '../../run/state/stored-line.js';
import { RECALL, type ToolDefinition } from '../../run/tools/tool.js';
import { namedPaths } from '../../run/tools/tool-paths.js';
import { WITHIN_THE_RUN } from '../../run/tools/workflow-tools.js';
import { lowerWords, partWith, searchedText } from './find-words.js';
import type { ReadPage } from './read-result.js';
import {
  type Asker,
  type ConversationPart,
  conversationOf,
  messageById,
  messagesOfEach,
  type SessionStore,
} from './store.js';

const PAGE_CHARS = 12_000;
const MOST_HITS = 10;
/** The most hits that an offset may skip. */
const MOST_PASSED = 1_000;
const QUERY_CHARS = 500;
const MOST_WORDS = 20;
/** The most characters that a search reads, and how many it reads before other work of the worker gets its turn. */
const MOST_CHARS = 32_000_000;
const TURN_CHARS = 250_000;

export const recallTool: ToolDefinition = {
  name: RECALL,
  serverToolName: RECALL,
  origin: { type: 'builtin' },
  description:
    'Reads what was said earlier in this conversation and is no longer shown: by words ("query") or by "id".',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', maxLength: QUERY_CHARS },
      id: { type: 'string' },
      offset: { type: 'integer', minimum: 0, description: 'First character or hit' },
    },
    additionalProperties: false,
  },
  validation: 'strict',
  policy: { ...WITHIN_THE_RUN, concurrent: true },
};

const OF_SUMMARIES: ReadonlySet<string> = new Set(['compact', 'summary'] satisfies UserMessage['purpose'][]);

type Sessions = Pick<SessionStore, 'find' | 'runs' | 'line' | 'read' | 'readEach'>;

export async function recall(
  sessions: Sessions,
  asker: Asker,
  { query = '', id = '', offset = 0 }: { query?: string; id?: string; offset?: number },
  changedAt: ChangedAt = async () => null,
): Promise<ReadPage> {
  if (query.trim() === '' && id.trim() === '') return failed('Give "query", words to look for, or "id".');
  const known = await conversationOf(sessions, asker);
  if (known === null)
    return failed(
      'The store has nothing of this conversation. What is not shown above cannot be read now: try again later, or call the tool that said it.',
    );
  const { run: found, said } = known;
  return id.trim() === ''
    ? search(sessions, said, { query, offset })
    : page(sessions, said, { id: id.trim(), offset, asker: found, changedAt });
}

/** Returns when a file of the workspace was last changed, or `gone`; null if it can't be examined. */
export type ChangedAt = (path: string) => Promise<number | 'gone' | null>;

interface Found {
  /** How many of the searched words the message contains. */
  count: number;
  line(): string;
}

/**
 * Sorts messages with the most words first, then the newest. Each is named with its run, because the ids are also used
 * in the conversation's next run, where message ids repeat.
 */
async function search(
  sessions: Sessions,
  said: readonly ConversationPart[],
  { query, offset }: { query: string; offset: number },
): Promise<ReadPage> {
  if (offset > MOST_PASSED)
    return failed(`At most ${MOST_PASSED} hits are passed over: look for more of the words, or for others.`);
  const most = offset + MOST_HITS;
  const words = [...new Set(lowerWords(query.slice(0, QUERY_CHARS)))].slice(0, MOST_WORDS);
  let best: Found[] = [];
  let count = 0;
  let looked = 0;
  // Messages are read newest first, so a result is seen before its call.
  const calls = new Map<string, string>();
  for await (const { message, run } of newestFirst(sessions, said)) {
    const key = (id: string) => `${run.chain}/${id}`;
    if (message.kind === 'assistant')
      for (const call of toolCallsOf(message))
        calls.set(key(call.id), labelOf(call, namedPaths(call.input, run.workspace)));
    if (looked > MOST_CHARS) break;
    const text = isRepeat(message) ? '' : searchedText(message);
    // Lets other models and tools of the worker continue.
    if (Math.floor((looked + text.length) / TURN_CHARS) > Math.floor(looked / TURN_CHARS))
      await setImmediate();
    looked += text.length;
    const lower = text.toLowerCase();
    const has = words.filter(word => lower.includes(word));
    if (has.length > 0) count += 1;
    if (has.length === 0 || has.length <= (best[most - 1]?.count ?? 0)) continue;
    const line = () => {
      const block = message.kind === 'tool_result' ? message.content[0] : null;
      const label = block && (calls.get(key(block.toolUseId)) ?? block.toolName);
      return `${run.workflowId}/${message.id}${label ? ` (${label})` : ''}: ${partWith(text, has) ?? ''}`;
    };
    best.push({ count: has.length, line });
    best = best.sort((a, b) => b.count - a.count).slice(0, most);
  }
  const older = looked > MOST_CHARS ? ' Older ones were not looked through: there are too many.' : '';
  if (count === 0) return failed(`No message has any of these words: ${headChars(query, 200)}.${older}`);
  const shown = best.slice(offset);
  if (shown.length === 0) return failed(`There are ${count} hits: offset ${offset} is behind them.`);
  const next = offset + shown.length;
  const more =
    next < count ? ` Of ${count} hits these are ${offset + 1} to ${next}: go on with offset ${next}.` : '';
  return {
    note: `Messages with these words, by id. "id" reads one of them whole.${more}${older}`,
    content: [{ type: 'text', text: shown.map(found => found.line()).join('\n') }],
    isError: false,
  };
}

async function* newestFirst(
  sessions: Sessions,
  said: readonly ConversationPart[],
): AsyncGenerator<{ message: Message; run: RunRecord }> {
  for await (const { run, messages } of messagesOfEach(sessions, [...said].reverse()))
    for (const { message } of messages.reverse()) yield { message, run };
}

/** True for recalled text and for summaries; the search finds their original messages instead. */
function isRepeat(message: Message): boolean {
  if (message.kind === 'user' && OF_SUMMARIES.has(message.purpose)) return true;
  if (message.kind === 'assistant' && message.role === COMPACTOR) return true;
  return message.content.some(
    block =>
      (block.type === 'tool_use' && block.name === RECALL) ||
      (block.type === 'tool_result' && block.toolName === RECALL),
  );
}

async function page(
  sessions: Sessions,
  said: readonly ConversationPart[],
  { id, offset, asker, changedAt }: { id: string; offset: number; asker: RunRecord; changedAt: ChangedAt },
): Promise<ReadPage> {
  const slash = id.lastIndexOf('/');
  const [workflowId, messageId] = [id.slice(0, Math.max(slash, 0)), id.slice(slash + 1)];
  const isMeant = ({ run }: ConversationPart) =>
    workflowId === '' ? run.chain === asker.chain : [run.workflowId, run.chain].includes(workflowId);
  for (const part of said.filter(isMeant).reverse()) {
    const { run } = part;
    const found = await messageById(sessions, part, messageId);
    if (!found) continue;
    const read = pageOf(searchedText(found.message), offset);
    const call = await callOf(sessions, run, found.message);
    if (call === null) return read;
    const paths = namedPaths(call.input, run.workspace);
    const stale = await staleOf(paths, found.message.at, changedAt);
    const notes = [`Result of ${labelOf(call, paths)}.`, read.note];
    if (stale.length > 0) notes.push(`Changed since then: ${stale.join(', ')}. Read it again.`);
    return { ...read, note: notes.join(' ') };
  }
  return failed(
    `This conversation has no message ${headChars(id, 100)}, or it is not kept. Use an id as it was given, or look for words with "query".`,
  );
}

/** The call of a result is looked for in this many messages before it. */
const NEAR = 200;

/** Returns the call whose result a message is; null for any other message, and if the call is not near it. */
async function callOf(sessions: Sessions, run: RunRecord, message: Message): Promise<ToolUseBlock | null> {
  if (message.kind !== 'tool_result') return null;
  const { toolUseId } = message.content[0];
  const after = Math.max(0, messageNumber(message) - NEAR - 1);
  const near = await sessions.read(run, { kind: 'message', after, limit: NEAR });
  const calls = near.flatMap(kept =>
    kept.kind === 'message' && kept.message.kind === 'assistant' ? toolCallsOf(kept.message) : [],
  );
  return calls.find(({ id }) => id === toolUseId) ?? null;
}

const NAMED_CHARS = 200;

function labelOf({ name }: Pick<ToolUseBlock, 'name'>, paths: readonly string[]): string {
  return headChars([name, ...paths].join(' '), NAMED_CHARS);
}

/** Returns the files that a call names and that were changed after its result (SE4). */
async function staleOf(paths: readonly string[], at: number, changedAt: ChangedAt): Promise<string[]> {
  const times = await Promise.all(paths.map(async path => [path, await changedAt(path)] as const));
  return times.flatMap(([path, time]) => (time === 'gone' || (time !== null && time > at) ? [path] : []));
}

function pageOf(text: string, offset: number): ReadPage {
  if (offset > 0 && offset >= text.length)
    return failed(`The message ends at character ${text.length}: offset ${offset} is behind it.`);
  const shown = headChars(text.slice(offset), PAGE_CHARS);
  const next = offset + shown.length;
  const more = next < text.length ? `Go on with offset ${next}.` : 'This is the end.';
  const note = `Characters ${offset} to ${next} of ${text.length}. ${more}`;
  return { note, content: [{ type: 'text', text: shown }], isError: false };
}

function failed(note: string): ReadPage {
  return { note, content: [], isError: true };
}
