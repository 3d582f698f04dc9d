/** Reads a conversation in any of the known forms, from a file or the body of a request. */

import { isRecord, isText, stringOr } from '../../base/json/json.js';
import { expected, isAbsent } from '../../base/text/output-fields.js';
import { type EarlierRun, earlierMessages } from '../../conversation/earlier.js';
import { readMessages } from '../../conversation/read-messages.js';
import type { Message } from '../../run/messages/message.js';
import { MAIN_THREAD } from '../../run/state/thread.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { fromAnthropicMessages } from './anthropic.js';
import { fromChatMessages } from './chat.js';
import { type ReadOptions, recordsOf } from './read-messages.js';
import { fromResponsesItems } from './responses.js';

/**
 * Reads messages of chat completions, of Anthropic's Messages, items of the Responses API (a list, or a request with
 * it), messages of the project, and the output of `sessions export --format json`.
 * @throws SteersmanError `usage` with the path of each fault.
 */
export function readConversation(value: unknown, options: ReadOptions = {}): Message[] {
  if (isRecord(value) && Array.isArray(value.runs)) return ofExport(value.runs);
  const [name, list] = listIn(value);
  if (list.some(item => isRecord(item) && 'kind' in item)) return messagesAt(list, name);
  const form = formOf(name, list);
  const faults = list.flatMap((item, index) => FAULTS[form](item, `${name}[${index}]`) ?? []);
  if (faults.length > 0) throw refused(faults);
  return READERS[form](list, options);
}

type Form = 'chat' | 'responses' | 'anthropic';

const READERS = {
  chat: fromChatMessages,
  responses: fromResponsesItems,
  anthropic: fromAnthropicMessages,
} satisfies Record<Form, unknown>;

function listIn(value: unknown): [name: string, list: unknown[]] {
  if (Array.isArray(value)) return ['messages', value];
  const body = isRecord(value) ? value : {};
  for (const name of ['messages', 'input', 'output']) {
    const list = body[name];
    if (Array.isArray(list)) return [name, list];
  }
  throw refused([
    expected('the conversation', 'a list of messages, or an object with messages, input or runs', value),
  ]);
}

const ITEM_TYPES = ['message', 'function_call', 'function_call_output', 'reasoning'];
const ANTHROPIC_BLOCKS = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking'];

function formOf(name: string, list: readonly unknown[]): Form {
  const typed = (items: readonly unknown[], types: readonly string[]) =>
    recordsOf(items).some(({ type }) => types.includes(stringOr(type, '')));
  if (name !== 'messages' || typed(list, ITEM_TYPES)) return 'responses';
  const isAnthropic = recordsOf(list).some(({ content }) => typed(recordsOf(content), ANTHROPIC_BLOCKS));
  return isAnthropic ? 'anthropic' : 'chat';
}

type Fault = (item: unknown, at: string) => string | null;

const FAULTS: Record<Form, Fault> = {
  chat: (item, at) => {
    const fault = messageFault(item, at, ['system', 'developer', 'user', 'assistant', 'tool']);
    if (fault !== null || !isRecord(item) || item.role !== 'tool' || isText(item.tool_call_id)) return fault;
    return expected(`${at}.tool_call_id`, 'the id of a call', item.tool_call_id);
  },
  anthropic: (item, at) => messageFault(item, at, ['user', 'assistant']),
  responses: (item, at) => {
    const type = isRecord(item) ? (item.type ?? 'message') : 'message';
    if (!ITEM_TYPES.includes(stringOr(type, '')))
      return expected(`${at}.type`, `one of ${ITEM_TYPES.join(', ')}`, type);
    if (type === 'message') return messageFault(item, at, ['system', 'developer', 'user', 'assistant']);
    if (type === 'reasoning' || (isRecord(item) && isText(item.call_id))) return null;
    return expected(`${at}.call_id`, 'the id of a call', isRecord(item) ? item.call_id : item);
  },
};

function messageFault(item: unknown, at: string, roles: readonly string[]): string | null {
  if (!isRecord(item)) return expected(at, 'an object { role, content }', item);
  const { role, content } = item;
  if (!roles.includes(stringOr(role, ''))) return expected(`${at}.role`, `one of ${roles.join(', ')}`, role);
  // A reply may have only calls.
  if (isText(content) || Array.isArray(content) || (role === 'assistant' && isAbsent(content))) return null;
  return expected(`${at}.content`, 'a text or a list of parts', content);
}

/** Returns the messages that roles share; the newest summary replaces everything before it. */
function ofExport(runs: readonly unknown[]): Message[] {
  const earlierRuns = runs.flatMap((each, index): EarlierRun[] => {
    const at = `runs[${index}]`;
    if (!isRecord(each) || !isRecord(each.run) || !Array.isArray(each.messages))
      throw refused([expected(at, 'an object { run, messages }', each)]);
    const { chain, answer, parent } = each.run;
    if (!isAbsent(parent)) return [];
    const messages = each.messages.map((line: unknown) =>
      isRecord(line) && line.thread === MAIN_THREAD ? line.message : NO_MESSAGE,
    );
    const read = messagesAt(messages, `${at}.messages`);
    return [{ chain: stringOr(chain, at), answer: isText(answer) ? answer : null, messages: read }];
  });
  const all = Number.POSITIVE_INFINITY;
  return messagesAt(earlierMessages(earlierRuns, { tokens: all, bytes: all }), 'runs');
}

/** Replaces events and messages of other threads: it is not a message, and keeps the indexes of paths correct. */
const NO_MESSAGE = { kind: 'cut', content: [] };

function messagesAt(list: readonly unknown[], at: string): Message[] {
  const read = readMessages(list, at);
  if (read.ok) return read.messages;
  throw refused(read.errors);
}

const MOST_TOLD = 5;

function refused(faults: readonly string[]): SteersmanError {
  return new SteersmanError(
    `The conversation cannot be read: ${faults.slice(0, MOST_TOLD).join(' ')}`,
    'It may have the form of chat completions, of Anthropic’s Messages, of the Responses API, or of `sessions export --format json`.',
    'usage',
  );
}
