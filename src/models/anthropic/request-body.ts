/** A request of Anthropic's Messages API. */
import type Anthropic from '@anthropic-ai/sdk';
import { isRecord } from '../../base/json/json.js';
import type { ReasoningLevel } from '../../run/agents/role.js';
import { toolCallsOf } from '../../run/messages/message.js';
import type { ModelRequest } from '../provider/provider.js';
import { CONVERSATIONS, OPTIONS } from '../refusals/option-words.js';
import { type RefusableOption, withoutNothing } from '../refusals/refused-options.js';
import { wireToolName } from '../request/message-text.js';
import { schemaOf, wantsJson } from '../request/output-schemas.js';
import { toWireTools, toWireTurns, type WireBlock, type WireTurn } from './wire-messages.js';

/** The SDK's type lacks sampling options, which only older models and API versions take. */
export type MessagesBody = Anthropic.MessageCreateParams & { temperature?: number; top_p?: number };

/** Sent if the role sets no limit, because the API requires one. Older models refuse it and then get less. */
const DEFAULT_MAX_TOKENS = 16_384;
/** Temperatures end at 1 here, while other protocols go up to 2. */
const MOST_TEMPERATURE = 1;

const JSON_ALONE = 'Reply with one JSON object and nothing else.';

const TOOL_CHOICE = {
  auto: {},
  // A changed `tool_choice` would invalidate the cache of all messages. A text tells the role that it may not call
  // tools, and a call that it makes anyway is answered without being run.
  none: {},
  required: { tool_choice: { type: 'any' } },
} as const;

export function toMessagesBody(endpoint: string, request: ModelRequest): MessagesBody {
  const { model, tools, stop } = request;
  // The API has no JSON mode without a schema.
  const system = wantsJson(request) ? `${request.system}\n\n${JSON_ALONE}`.trim() : request.system;
  const { effort, ...thinking } = thinkingOf(thinkingRequest(request));
  const bound = schemaOf(request);
  // The API refuses a schema that is not closed; the role knows it in words.
  const schema = bound?.strict && (tools.length === 0 || bound.beside) ? bound.schema : null;
  const thinks = thinking.thinking !== undefined && thinking.thinking.type !== 'disabled';
  // Endpoints refuse sampling options for a model that is thinking.
  const { temperature, topP } = thinks ? { temperature: null, topP: null } : request;
  const output_config = withoutNothing<Anthropic.OutputConfig>({
    effort,
    format: schema && { type: 'json_schema', schema },
  });
  return withoutNothing<MessagesBody>({
    model,
    max_tokens: thinkingRequest(request).maxTokens,
    ...toolsOf(request),
    system: system.trim() === '' ? null : markedAtEnd([{ type: 'text' as const, text: system }]),
    messages: markedTurns(toWireTurns(`${endpoint}/${model}`, request.messages, request.pictures)),
    stream: request.streaming !== false,
    ...thinking,
    output_config: schema || effort ? output_config : null,
    // The API refuses a stop sequence that consists of blanks.
    stop_sequences: stop.length === 0 ? null : stop.filter(text => text.trim() !== ''),
    temperature: temperature && Math.min(temperature, MOST_TEMPERATURE),
    top_p: topP,
  });
}

/** The API requires definitions of all tools that a conversation has called, even if no tool may be called now. */
function toolsOf({ tools, toolChoice, messages }: ModelRequest): Pick<MessagesBody, 'tools' | 'tool_choice'> {
  if (tools.length > 0) return { tools: markedAtEnd(toWireTools(tools)), ...TOOL_CHOICE[toolChoice] };
  const called = messages.flatMap(message => (message.kind === 'assistant' ? toolCallsOf(message) : []));
  const names = [...new Set(called.map(({ name }) => wireToolName(name)))];
  if (names.length === 0) return {};
  const known = names.map(name => ({ name, input_schema: { type: 'object' as const } }));
  return { tools: markedAtEnd(known), ...TOOL_CHOICE.none };
}

function thinkingRequest(request: ModelRequest): ThinkingRequest {
  const { model, reasoning, tools, toolChoice, maxOutputTokens } = request;
  const mustCall = tools.length > 0 && toolChoice === 'required';
  return { model, reasoning, maxTokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS, mustCall };
}

/** Which model takes which of these options changes with every generation, so the endpoint's refusals decide. */
export const MESSAGES_OPTIONS: readonly RefusableOption[] = [
  // One lesson covers all three places: an endpoint that refuses cache marks in one of them refuses them in all.
  ...['tools', 'system', 'messages'].map(path => ({
    path,
    key: 'no cache marks',
    words: CONVERSATIONS.anyMarks,
    byWords: true as const,
    isIn: (parts: unknown) => withoutMarks(parts) !== parts,
    instead: [{ path, value: withoutMarks }],
  })),
  {
    path: 'messages',
    key: 'no thinking',
    words: CONVERSATIONS.badSignature,
    byWords: true,
    instead: [{ path: 'messages', value: withoutThinking }],
    once: true,
  },
  // Anthropic refuses thinking in a turn with tools that another model began, because that turn has no thinking block
  // at its start. The effort goes too, since gateways take it for thinking.
  {
    path: 'thinking',
    key: 'no thinking now',
    words: CONVERSATIONS.noThinkingFirst,
    byWords: true,
    instead: [{ path: 'thinking', value: () => undefined }],
    also: ['output_config.effort'],
    once: true,
  },
  { path: 'output_config.format', words: OPTIONS.anthropicForm },
  { path: 'output_config.effort', words: OPTIONS.anthropicEffort },
  { path: 'thinking.display' },
  {
    path: 'thinking',
    words: OPTIONS.adaptive,
    instead: [{ path: 'thinking', value: (_given, request) => budgetOf(thinkingRequest(request)) }],
  },
  { path: 'temperature' },
  { path: 'top_p' },
  { path: 'tool_choice' },
  { path: 'stop_sequences' },
  {
    path: 'max_tokens',
    instead: [8_192, 4_096].map(most => ({
      path: 'max_tokens',
      value: given => Math.min(Number(given), most),
    })),
    once: true,
  },
];

/** Removes cache marks from tools, content blocks or turns. Returns the same value if it has no mark. */
function withoutMarks(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts;
  const bare: unknown[] = parts.map(part => {
    if (!isRecord(part)) return part;
    const { cache_control, ...kept } = part;
    const content = withoutMarks(kept.content);
    if (cache_control === undefined && content === kept.content) return part;
    return { ...kept, ...(content !== undefined && { content }) };
  });
  return bare.every((part, index) => part === parts[index]) ? parts : bare;
}

function withoutThinking(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map(turn => {
    const content: unknown = isRecord(turn) ? turn.content : undefined;
    if (!Array.isArray(content)) return turn;
    return { ...turn, content: content.filter(block => !/thinking$/.test(String(block?.type))) };
  });
}

// How much a model thinks, in Anthropic's terms: newer models take an effort, older ones a budget of tokens.

type Thinking = Pick<Anthropic.MessageCreateParams, 'thinking'> & {
  effort?: Exclude<ReasoningLevel, 'off'>;
};

/** Models up to version 4.5, which only know budgets. */
const BY_BUDGET = /claude-3|claude-\w+-4(-[015])?([-@]\d{8})?(-latest)?$/;
const LEAST_BUDGET_TOKENS = 1_024;
const SHARE_OF_OUTPUT = { low: 0.25, medium: 0.5, high: 0.75 };

interface ThinkingRequest {
  model: string;
  /** Null leaves it to the model. */
  reasoning: ReasoningLevel | null;
  maxTokens: number;
  /** True if the reply must call a tool. */
  mustCall: boolean;
}

/** Returns an empty object if the role leaves thinking to the model, or if the budget does not fit. */
function thinkingOf(request: ThinkingRequest): Thinking {
  const { model, reasoning } = request;
  if (reasoning === null) return {};
  if (reasoning === 'off') return { thinking: { type: 'disabled' } };
  if (!BY_BUDGET.test(model)) {
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort: reasoning };
  }
  const thinking = budgetOf(request);
  return thinking ? { thinking } : {};
}

/** Returns undefined if a call is forced, which excludes a budget, or if no tokens would be left for the reply. */
function budgetOf({
  reasoning,
  maxTokens,
  mustCall,
}: Omit<ThinkingRequest, 'model'>): Anthropic.ThinkingConfigEnabled | undefined {
  if (reasoning === null || reasoning === 'off' || mustCall) return undefined;
  const budget = Math.max(LEAST_BUDGET_TOKENS, Math.floor(maxTokens * SHARE_OF_OUTPUT[reasoning]));
  return budget < maxTokens ? { type: 'enabled', budget_tokens: budget } : undefined;
}

/*
 * A mark makes the endpoint cache the request up to that point; four marks are allowed. They are set at the ends of the
 * tools, of the system prompt, of the conversation, and of the conversation as the previous request sent it. The last
 * of these finds the cache entry even after many more blocks. From any other mark the endpoint only looks back over 20
 * blocks.
 */
const MARK: { cache_control: Anthropic.CacheControlEphemeral } = { cache_control: { type: 'ephemeral' } };

function markedAtEnd<Part extends object>(parts: readonly Part[]): Part[] {
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...MARK } : part));
}

/** Marks the last turn, and the turn before the last reply, where the previous request ended. */
function markedTurns(turns: readonly WireTurn[]): WireTurn[] {
  const lastReply = turns.findLastIndex(({ role }) => role === 'assistant');
  const marked = new Set([turns.length - 1, lastReply - 1]);
  return turns.map((turn, index) =>
    marked.has(index) ? { ...turn, content: markedAtEnd<WireBlock>(turn.content) } : turn,
  );
}
