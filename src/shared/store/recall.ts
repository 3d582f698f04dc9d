/** The built-in tool with which a model reads what was said in its conversation and is not shown any more (X7). */
import { setImmediate } from 'node:timers/promises';
import type { RunRecord } from '../../core/state/kept.js';
import type { Message } from '../../core/state/message.js';
import { headChars } from '../../core/text/large-text.js';
import { DEFAULT_TOOL_POLICY, type ToolDefinition } from '../../core/tools/tool.js';
import { RECALL } from '../../core/tools/tool-result.js';
import { lowerWords, partWith, searchedText } from './find-words.js';
import type { ReadPage } from './read-result.js';
import { type Asker, conversationOf, type Said, type SessionStore, saidInEach } from './store.js';

const PAGE_CHARS = 12_000;
const MOST_HITS = 10;
const QUERY_CHARS = 500;
const MOST_WORDS = 20;
/** So much is looked through at most, and so much before others of the worker get their turn. */
const MOST_CHARS = 32_000_000;
const TURN_CHARS = 250_000;

export const recallTool: ToolDefinition = {
  name: RECALL,
  serverToolName: RECALL,
  origin: { type: 'builtin' },
  description:
    'Reads what was said earlier in this conversation and is no longer shown: give "query" or "id".',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', maxLength: QUERY_CHARS, description: 'Words to look for.' },
      id: { type: 'string', description: 'A message, such as "m12".' },
      offset: { type: 'integer', minimum: 0, description: 'First character. Default 0.' },
    },
    additionalProperties: false,
  },
  validation: 'strict',
  policy: {
    ...DEFAULT_TOOL_POLICY,
    readOnly: true,
    idempotent: true,
    destructive: false,
    cache: 'none',
    concurrent: true,
  },
};

type Sessions = Pick<SessionStore, 'find' | 'runs' | 'line' | 'readEach'>;

export async function recall(
  sessions: Sessions,
  asker: Asker,
  { query = '', id = '', offset = 0 }: { query?: string; id?: string; offset?: number },
): Promise<ReadPage> {
  if (query.trim() === '' && id.trim() === '') return failed('Give "query", words to look for, or "id".');
  const known = await conversationOf(sessions, asker);
  if (known === null)
    return failed(
      'The store has nothing of this conversation. What is not shown above can not be read now: try again later, or call the tool that said it.',
    );
  const { run: found, said } = known;
  return id.trim() === ''
    ? search(sessions, said, query, found)
    : page(sessions, said, { id: id.trim(), offset, asker: found });
}

interface Found {
  /** How many of the words it has. */
  count: number;
  line(): string;
}

/** Those with the most of the words come first, then the newest. What was recalled before is no find. */
async function search(
  sessions: Sessions,
  said: readonly Said[],
  query: string,
  asker: RunRecord,
): Promise<ReadPage> {
  const words = [...new Set(lowerWords(query.slice(0, QUERY_CHARS)))].slice(0, MOST_WORDS);
  let best: Found[] = [];
  let looked = 0;
  for await (const { message, run } of newestFirst(sessions, said)) {
    if (looked > MOST_CHARS) break;
    const text = isRecalled(message) ? '' : searchedText(message);
    // Others of the worker have models and tools at work meanwhile.
    if (Math.floor((looked + text.length) / TURN_CHARS) > Math.floor(looked / TURN_CHARS))
      await setImmediate();
    looked += text.length;
    const lower = text.toLowerCase();
    const has = words.filter(word => lower.includes(word));
    if (has.length === 0 || has.length <= (best[MOST_HITS - 1]?.count ?? 0)) continue;
    const name = run.chain === asker.chain ? message.id : `${run.workflowId}/${message.id}`;
    best.push({ count: has.length, line: () => `${name}: ${partWith(text, has) ?? ''}` });
    best = best.sort((a, b) => b.count - a.count).slice(0, MOST_HITS);
  }
  const older = looked > MOST_CHARS ? ' Older ones were not looked through: there are too many.' : '';
  if (best.length === 0)
    return failed(`No message has any of these words: ${headChars(query, 200)}.${older}`);
  return {
    note: `Messages with these words, by id. "id" reads one of them whole.${older}`,
    content: [{ type: 'text', text: best.map(found => found.line()).join('\n') }],
    isError: false,
  };
}

async function* newestFirst(
  sessions: Sessions,
  said: readonly Said[],
): AsyncGenerator<{ message: Message; run: RunRecord }> {
  for await (const { run, messages } of saidInEach(sessions, [...said].reverse()))
    for (const { message } of messages.reverse()) yield { message, run };
}

function isRecalled({ content }: Message): boolean {
  return content.some(
    block =>
      (block.type === 'tool_use' && block.name === RECALL) ||
      (block.type === 'tool_result' && block.toolName === RECALL),
  );
}

async function page(
  sessions: Sessions,
  said: readonly Said[],
  { id, offset, asker }: { id: string; offset: number; asker: RunRecord },
): Promise<ReadPage> {
  const slash = id.lastIndexOf('/');
  const [workflowId, messageId] = [id.slice(0, Math.max(slash, 0)), id.slice(slash + 1)];
  const isMeant = ({ run }: Said) =>
    workflowId === '' ? run.chain === asker.chain : [run.workflowId, run.chain].includes(workflowId);
  for await (const { messages } of saidInEach(sessions, said.filter(isMeant).reverse())) {
    const found = messages.find(({ message }) => message.id === messageId);
    if (found) return pageOf(searchedText(found.message), offset);
  }
  return failed(
    `This conversation has no message ${headChars(id, 100)}, or it is not kept. Use an id as it was given, or look for words with "query".`,
  );
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
