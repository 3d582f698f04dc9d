/** Messages and blocks (G1). Each is written once to history, by the activity that made it, and to one thread of the state. */

import { isRecord, ownValue } from '../../base/json/json.js';
import { CONTRACTS, type OutputContract } from '../outputs/contracts.js';

/** Why a reply ended: one union for providers and the run. */
export const STOP_REASONS = [
  'end_turn',
  'tool_use',
  'max_tokens',
  /** The endpoint withheld the model's output. */
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
  /** Input tokens read from the provider's cache. */
  cachedInputTokens: number;
  /** Input tokens written to the provider's cache; left out if 0. */
  cacheWriteInputTokens?: number;
  /** Cached input tokens that token limits do not count, as they cost less than new input; left out if 0. */
  cacheDiscountTokens?: number;
  /** Output tokens spent on reasoning. */
  reasoningTokens: number;
  costUsd: number | null;
  /** Some tokens are estimated, because an endpoint reported no usage or impossible figures. */
  estimated?: boolean;
}

/** Data that a provider wants back with its block, such as a signature: sent only to the same model of the same endpoint. */
export interface ProviderData {
  /** The `endpoint/model` that sent it. */
  model: string;
  value: unknown;
}

export interface TextBlock {
  type: 'text';
  text: string;
}

/** A reasoning model's thinking: shown and traced; `data` is sent back if its provider wants it. */
export interface ReasoningBlock {
  type: 'reasoning';
  /** Empty if the provider shows no text. */
  text: string;
  data?: ProviderData;
}

/** A call the model asks for. `input` is the parsed arguments. */
export interface ToolUseBlock {
  type: 'tool_use';
  /** Unique in its run: its one result is paired by this id. */
  id: string;
  /** The name as offered to the model. */
  name: string;
  input: Record<string, unknown>;
  /** The model's original argument text, if it was not plain JSON. */
  raw?: string;
  /** The arguments could not be parsed even after repair: `input` is meaningless, and the call never runs. */
  argsParseFailed?: boolean;
  /** Schema violations found by the model activity, in words; absent if valid or not validated. */
  argErrors?: string[];
  data?: ProviderData;
}

/** How a tool call ended. Every call ends in exactly one of these, and the model sees it. */
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

/** A tool's text. Above 16 KB it holds head and tail, and `ref` stores all of it. */
interface ToolText {
  text: string;
  ref?: string;
  totalBytes?: number;
  /** The length of the shown beginning, where reading continues. */
  headBytes?: number;
}

/** Content from a tool or its server, never the run's own words. */
export type ToolContent =
  | ({ type: 'text' } & ToolText)
  | { type: 'image'; mimeType: string; ref: string; totalBytes: number }
  | ({ type: 'resource'; uri: string; mimeType?: string } & Partial<ToolText>)
  | { type: 'json'; value: unknown };

/** The result as the tool's app shows it to people, by reference; never sent to a model. */
export interface AppResult {
  server: string;
  /** JSON with the call's `arguments` and the tool's complete `result`. */
  answer: string;
  /** The app's address on its server, and its page at the time of the call; absent if an app made the call. */
  uri?: string;
  page?: string;
}

export interface ToolResultBlock {
  type: 'tool_result';
  toolUseId: string;
  toolName: string;
  ending: ToolEnding;
  /** The run's note on the call (`tool-notes.ts`): how it ended, and what to do next. '' without a note. */
  note: string;
  content: ToolContent[];
  isError: boolean;
  /** Time in the tool, measured in the activity (O3); 0 if it did not run. */
  durationMs: number;
  app?: AppResult;
}

export type Block = TextBlock | ReasoningBlock | ToolUseBlock | ToolResultBlock;

interface MessageBase {
  /** Unique in the run, made from the run's own counter (G6). */
  id: string;
  /** Milliseconds since the epoch, by the workflow's clock. */
  at: number;
  /** The message's earlier run in the conversation and its id there, under which the store has it. */
  from?: { chain: string; id: string };
}

/** The consequences of a message's purpose. */
interface PurposeRules {
  /** A person's words: earlier reads are doubted after them, and results that they name are shortened last. */
  ofPerson: boolean;
  /** Asks a role for work: the last such message stays in a trim. */
  instructs: boolean;
  /** The last one of this purpose stays in a trim. */
  lastStays: boolean;
  /** Each run of a conversation says it anew, so that none takes it over from an earlier one. */
  saidAnew: boolean;
  /** It stays whole or is dropped, because a cut would remove its delimiters. */
  uncut: boolean;
}

/**
 * `steer`: a person's message during the run, or an answer to a question; `role`: a role's prompt; `notes`: the project's
 * notes; `files`: the workspace's files; `inventory`: the artifacts; `reask`: a request to mend output; `answer`: the
 * answer of the step before, if the conversation lacks it; `compact`: asks for a summary; `summary`: replaces earlier
 * messages; `context`: added by a transform of the worker's program. A trim also keeps `lastSummary`, and the prompts,
 * instructions and messages of a person that `anchorsOf` names.
 */
export const PURPOSES = {
  goal: { ofPerson: true, instructs: true, lastStays: true, saidAnew: false, uncut: false },
  steer: { ofPerson: true, instructs: true, lastStays: false, saidAnew: false, uncut: false },
  role: { ofPerson: false, instructs: false, lastStays: false, saidAnew: true, uncut: true },
  notes: { ofPerson: false, instructs: false, lastStays: true, saidAnew: true, uncut: true },
  files: { ofPerson: false, instructs: false, lastStays: false, saidAnew: true, uncut: true },
  inventory: { ofPerson: false, instructs: false, lastStays: false, saidAnew: true, uncut: true },
  instruction: { ofPerson: false, instructs: true, lastStays: false, saidAnew: false, uncut: false },
  reask: { ofPerson: false, instructs: false, lastStays: false, saidAnew: false, uncut: false },
  answer: { ofPerson: false, instructs: false, lastStays: true, saidAnew: false, uncut: false },
  compact: { ofPerson: false, instructs: false, lastStays: false, saidAnew: true, uncut: false },
  summary: { ofPerson: false, instructs: false, lastStays: false, saidAnew: false, uncut: false },
  context: { ofPerson: false, instructs: false, lastStays: false, saidAnew: true, uncut: false },
} satisfies Record<string, PurposeRules>;

export type Purpose = keyof typeof PURPOSES;

/** Returns what follows from a purpose. One of later code, in a stored message, counts as an instruction. */
export function rulesOf(purpose: Purpose): PurposeRules {
  return ownValue(PURPOSES, purpose) ?? PURPOSES.instruction;
}

/** A picture of a person's message, by reference. */
export interface PictureRef {
  ref: string;
  name: string;
  mimeType: string;
  totalBytes: number;
}

/** A message to a role, from a person or from the run on a person's behalf. */
export interface UserMessage extends MessageBase {
  kind: 'user';
  purpose: Purpose;
  /** The role, in a prompt, or in an instruction to a role whose prompt is in the thread. */
  role?: string;
  /** The task that an instruction assigns. */
  taskId?: string;
  /** The messages that a summary replaces, by their run, if that was another one. */
  replaces?: { chain?: string; ids: string[] }[];
  /** The number of messages that a summary replaces, including those that replaced summaries stood for. */
  standsFor?: number;
  /** Shown to models that see pictures; the text names them. */
  pictures?: PictureRef[];
  content: TextBlock[];
}

/** The act of a reply: it called tools, or did its role's work; `thinking` if it was interrupted. */
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
  /** The `endpoint/model` that produced it (M5). */
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
  /** The number of dropped messages, and of dropped results by tool. */
  dropped: number;
  tools: Record<string, number>;
}

/** All messages are for models: the journal has the notes for people (G3). */
export type Message = UserMessage | AssistantMessage | ToolResultMessage | CutMessage;

export function textOf(message: { content: readonly Block[] }): string {
  return message.content
    .filter((block): block is TextBlock => block.type === 'text')
    .map(block => block.text)
    .join('\n');
}

/** Returns the reasoning of all blocks, a line each. */
export function reasoningOf({ content }: Pick<AssistantMessage, 'content'>): string {
  const texts = content.flatMap(block => (block.type === 'reasoning' ? [block.text] : []));
  return texts.filter(text => text !== '').join('\n');
}

/** A tool call as the model wrote it. */
export interface WrittenCall {
  id: string;
  name: string;
  /** JSON, unless the model wrote something else. */
  arguments: string;
}

export function writtenCall({ id, name, raw, input }: ToolUseBlock): WrittenCall {
  return { id, name, arguments: raw ?? JSON.stringify(input) };
}

/** Returns the model's words with a step: its text, else its reasoning. */
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

/** Returns the id of a reply's `number`-th tool call, from 1: unique in a run, as the ids of its model calls are. */
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
