/** What the Messages API asks of a request beyond its schema, in its own words. */
import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import { firstIssue, type SchemaIssue } from '../schema-issue.js';
import type { Seal } from '../seal.js';
import { type MessagesBlock, type MessagesBody, messagesSchema } from './schema.js';
import { thinkingFault } from './thinking-rules.js';
import { toolFault } from './tool-rules.js';

/** Fields that the API takes up to its version 2023-06-01. */
const OLD_FIELDS = ['temperature', 'top_p', 'top_k'] as const;
const MOST_MARKS = 4;

/** What the API answers to a request that breaks its rules; null for one that keeps them. */
export function refuseMessages(
  body: Json,
  seal: Seal,
  headers: Readonly<Record<string, string>>,
): WireError | null {
  const version = headers['anthropic-version'];
  if (version === undefined) return bad('anthropic-version: header is required');
  const issue = firstIssue(messagesSchema, body);
  if (issue) return bad(`${issue.path.join('.')}: ${wordsOf(issue)}`);
  const request = body as MessagesBody;
  const old = version === '2023-06-01' ? undefined : OLD_FIELDS.find(name => request[name] !== undefined);
  if (old) return bad(`${old}: Extra inputs are not permitted`);
  const fault =
    orderFault(request) ??
    emptyFault(request) ??
    markFault(request) ??
    toolFault(request) ??
    thinkingFault(request, seal);
  return fault === null ? null : bad(fault);
}

function wordsOf({ kind, expected, message }: SchemaIssue): string {
  switch (kind) {
    case 'unknown':
      return 'Extra inputs are not permitted';
    case 'missing':
      return 'Field required';
    case 'type':
      return `Input should be a valid ${expected === 'record' ? 'dictionary' : expected}`;
    case 'value':
      return `Input should be ${expected}`;
    case 'too_long':
      return `Input should be at most ${expected} long`;
    case 'too_short':
      return `Input should be greater than or equal to ${expected}`;
    case 'pattern':
      return `String should match pattern '${expected.slice(1, -1)}'`;
    case 'other':
      return message;
  }
}

/** A person begins, and the model's turn is at the end. Turns of one side in a row count as one. */
function orderFault({ messages }: MessagesBody): string | null {
  if (messages[0]?.role === 'assistant') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== 'assistant') return null;
  return 'This model does not support assistant message prefill. The conversation must end with a user message.';
}

function emptyFault({ messages, system }: MessagesBody): string | null {
  if (Array.isArray(system) && system.some(isEmptyText))
    return 'system: text content blocks must be non-empty';
  for (const [index, { role, content }] of messages.entries()) {
    if (content.length === 0) return `messages.${index}: ${role} messages must have non-empty content`;
    if (typeof content === 'string') {
      if (content.trim() === '') return 'messages: text content blocks must contain non-whitespace text';
      continue;
    }
    const blocks = content.flatMap(innerBlocks);
    if (blocks.some(isEmptyText)) return 'messages: text content blocks must be non-empty';
    if (blocks.some(block => block.type === 'text' && block.text.trim() === ''))
      return 'messages: text content blocks must contain non-whitespace text';
  }
  return null;
}

function innerBlocks(block: MessagesBlock): MessagesBlock[] {
  const inner = block.type === 'tool_result' && Array.isArray(block.content) ? block.content : [];
  return [block, ...inner];
}

function isEmptyText(block: MessagesBlock): boolean {
  return block.type === 'text' && block.text === '';
}

/** https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching: at most four breakpoints. */
function markFault({ cache_control, tools, system, messages }: MessagesBody): string | null {
  const blocks: object[] = [
    { cache_control },
    ...(tools ?? []),
    ...(Array.isArray(system) ? system : []),
    ...messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.flatMap(innerBlocks))),
  ];
  const marks = blocks.filter(
    block => 'cache_control' in block && (block.cache_control ?? null) !== null,
  ).length;
  if (marks <= MOST_MARKS) return null;
  return `A maximum of ${MOST_MARKS} blocks with cache_control may be provided. Found ${marks}.`;
}

function bad(message: string): WireError {
  return { status: 400, message };
}
