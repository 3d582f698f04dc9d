/**
 * Messages and blocks (G1), each written once: to history by the activity that made it, and to one thread of the
 * state.
 */

import { isRecord } from '../../base/json/json.js';
import { CONTRACTS, type OutputContract } from '../outputs/contracts.js';

/** Why a reply ended: one union for providers and for the run. */
export const STOP_REASONS = [
  'end_turn',
  'tool_use',
  'max_tokens',
  /** The endpoint withheld what the model said. */
  'content_filter',
  'refusal',
  /** A person interrupted the call: the text is partial, its tool calls are dropped. */
  'interrupted',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Tokens of one or many calls; `costUsd` is null as soon as one part's price is unknown. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Of the input: read from the provider's cache. */
  cachedInputTokens: number;
  /** Of the input: written to the provider's cache; left out for none. */
  cacheWriteInputTokens?: number;
  /** Of the cached input: what limits of tokens do not count, since it costs less than new input; left out for none. */
  cacheDiscountTokens?: number;
  /** Of the output. */
  reasoningTokens: number;
  costUsd: number | null;
  /** Some tokens are estimated, because an endpoint reported none or impossible ones. */
  estimated?: boolean;
}

/**
 * What a provider wants back with its block, such as a signature: sent to the same model of the same endpoint alone.
 */
export interface ProviderData {
  /** `endpoint/model` that gave it. */
  model: string;
  value: unknown;
}

export interface TextBlock {
  type: 'text';
  text: string;
}

/** Thinking of a reasoning model: shown and traced; sent back where its provider wants that, as `data`. */
export interface ReasoningBlock {
  type: 'reasoning';
  /** Empty where the provider shows none. */
  text: string;
  data?: ProviderData;
}

/** A call the model asks for. `input` is the parsed arguments. */
export interface ToolUseBlock {
  type: 'tool_use';
  /** Unique within its run: the pairing key of the one result. */
  id: string;
  /** Name as offered to the model. */
  name: string;
  input: Record<string, unknown>;
  /** The model's argument text where it was not plain JSON: what was really said. */
  raw?: string;
  /** The arguments could not be parsed even after repair: `input` means nothing, and the call never runs. */
  argsParseFailed?: boolean;
  /** Schema violations found by the model activity, in words; absent when valid or not validated. */
  argErrors?: string[];
  data?: ProviderData;
}

/** How a tool call ended. Every call ends in exactly one of these, and the model sees which. */
export const TOOL_ENDINGS = [
  'executed',
  'reused',
  'invalid',
  'denied',
  'skipped',
  'cancelled',
  'timed_out',
  'unavailable',
  'outcome_unknown',
  'session_lost',
] as const;
export type ToolEnding = (typeof TOOL_ENDINGS)[number];

/** Text of a tool. Over 16 KB it is head and tail; all of it is kept as `ref`. */
interface ToolText {
  text: string;
  ref?: string;
  totalBytes?: number;
  /** The length of the shown beginning: where reading continues. */
  headBytes?: number;
}

/** What a tool or its server said: never the run's own words. */
export type ToolContent =
  | ({ type: 'text' } & ToolText)
  | { type: 'image'; mimeType: string; ref: string; totalBytes: number }
  | ({ type: 'resource'; uri: string; mimeType?: string } & Partial<ToolText>)
  | { type: 'json'; value: unknown };

/** What people see of a result in the app of its tool, by reference; never sent to a model. */
export interface AppResult {
  server: string;
  /** As JSON: `arguments` that the tool ran with, and `result`, all that it answered. */
  answer: string;
  /** The app's address on its server, and its page as it was when the tool was called; absent where an app has called. */
  uri?: string;
  page?: string;
}

export interface ToolResultBlock {
  type: 'tool_result';
  toolUseId: string;
  toolName: string;
  ending: ToolEnding;
  /** What the run says of the call (`tool-notes.ts`): how it ended, what to do next. Empty for nothing. */
  note: string;
  content: ToolContent[];
  isError: boolean;
  /** Time in the tool, measured in the activity (O3); 0 where nothing ran. */
  durationMs: number;
  app?: AppResult;
}

export type Block = TextBlock | ReasoningBlock | ToolUseBlock | ToolResultBlock;

interface MessageBase {
  /** Unique within the run, made from the run's own counter (G6). */
  id: string;
  /** Milliseconds since the epoch, from the workflow's clock. */
  at: number;
  /** Said in an earlier run of the conversation, under this id: the store has it there. */
  from?: { chain: string; id: string };
}

/**
 * `steer`: what a person said while it ran, and answers to questions; `role`: a role's prompt; `notes`: on the
 * project; `files`: what lies in the workspace; `reask`: a request to mend output; `answer`: of the step before, where
 * the conversation does not hold it; `compact`: asks for a summary; `summary`: stands for the messages before it;
 * `context`: of a transform of the worker's program.
 */
export const USER_PURPOSES = [
  'goal',
  'steer',
  'role',
  'notes',
  'files',
  'inventory',
  'instruction',
  'reask',
  'answer',
  'compact',
  'summary',
  'context',
] as const;

/** What a person, or the run on its behalf, says to a role. */
export interface UserMessage extends MessageBase {
  kind: 'user';
  purpose: (typeof USER_PURPOSES)[number];
  /** Of a prompt, and of an instruction to a role that has its prompt in the thread: the role. */
  role?: string;
  /** Of an instruction: the task that it gives. */
  taskId?: string;
  /** Of a summary: the messages that it stands for, by the run that said them, where that was another one. */
  replaces?: { chain?: string; ids: string[] }[];
  /** Of a summary: how many messages have given way to it, with those of summaries before it. */
  standsFor?: number;
  content: TextBlock[];
}

/** What a reply did: it called tools, or it gave what its role is for; `thinking` where it was cut short. */
export type MessageAction = 'thinking' | 'calling_tool' | (typeof CONTRACTS)[OutputContract]['does'];

export function actionOf(
  contract: OutputContract,
  { stopReason, content }: Pick<AssistantMessage, 'stopReason' | 'content'>,
): MessageAction {
  if (stopReason === 'interrupted') return 'thinking';
  return content.some(block => block.type === 'tool_use') ? 'calling_tool' : CONTRACTS[contract].does;
}

export interface AssistantMessage extends MessageBase {
  kind: 'assistant';
  role: string;
  content: (TextBlock | ReasoningBlock | ToolUseBlock)[];
  stopReason: StopReason;
  action: MessageAction;
  /** `endpoint/model` that produced it (M5). */
  model: string;
  usage: Usage;
}

export interface ToolResultMessage extends MessageBase {
  kind: 'tool_result';
  content: [ToolResultBlock];
}

export interface CutMessage extends MessageBase {
  kind: 'cut';
  content: TextBlock[];
  /** How many messages, and how many results of each tool. */
  dropped: number;
  tools: Record<string, number>;
}

/** All of it is for models: notes for people stand in the journal (G3). */
export type Message = UserMessage | AssistantMessage | ToolResultMessage | CutMessage;

export function textOf(message: { content: readonly Block[] }): string {
  return message.content
    .filter((block): block is TextBlock => block.type === 'text')
    .map(block => block.text)
    .join('\n');
}

/** What it thought, of all blocks. */
export function reasoningOf({ content }: Pick<AssistantMessage, 'content'>): string {
  const texts = content.flatMap(block => (block.type === 'reasoning' ? [block.text] : []));
  return texts.filter(text => text !== '').join('\n');
}

/** A tool call as its model said it. */
export interface SaidCall {
  id: string;
  name: string;
  /** JSON, unless the model wrote something else. */
  arguments: string;
}

export function saidCall({ id, name, raw, input }: ToolUseBlock): SaidCall {
  return { id, name, arguments: raw ?? JSON.stringify(input) };
}

/** What the model said with a step: its text, else its reasoning. */
export function thoughtOf(reply: AssistantMessage): string {
  const text = textOf(reply);
  if (text !== '') return text;
  return reasoningOf(reply);
}

export function toolCallsOf(message: AssistantMessage): ToolUseBlock[] {
  return message.content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
};

/** Of a reply's `number`-th tool call, from 1: unique in a run, as the ids of its calls are. */
export function toolCallId(callId: string, number: number): string {
  return `${callId}_${number}`;
}

/** Sums usage. An unknown cost makes the sum unknown, because a sum without some calls would mislead. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cacheWriteInputTokens = (a.cacheWriteInputTokens ?? 0) + (b.cacheWriteInputTokens ?? 0);
  const cacheDiscountTokens = (a.cacheDiscountTokens ?? 0) + (b.cacheDiscountTokens ?? 0);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...(cacheWriteInputTokens > 0 && { cacheWriteInputTokens }),
    ...(cacheDiscountTokens > 0 && { cacheDiscountTokens }),
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
    ...(a.estimated || b.estimated ? { estimated: true } : {}),
  };
}

export function isUsage(value: unknown): value is Usage {
  if (!isRecord(value)) return false;
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, costUsd } = value;
  const { cacheWriteInputTokens = 0, cacheDiscountTokens = 0 } = value;
  const ofInput = [cachedInputTokens, cacheWriteInputTokens, cacheDiscountTokens];
  const counts = [inputTokens, outputTokens, reasoningTokens, ...ofInput];
  const counted = counts.every(count => Number.isSafeInteger(count) && Number(count) >= 0);
  return counted && (costUsd === null || (typeof costUsd === 'number' && costUsd >= 0));
}
