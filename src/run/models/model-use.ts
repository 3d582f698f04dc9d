/** What a run keeps of the models that it calls. */

import {
  isText,
  isTexts,
  jsonBytes,
  ownValue,
  type Reader,
  readFields,
  readIf,
} from '../../base/json/json.js';
import type { ModelFailureType } from '../limits/failure.js';
import type { StopReason, Usage } from '../messages/message.js';
import type { RunLessons } from './lessons.js';

/** What a model call sends, fixed when it is scheduled: every retry sends the same. */
export interface PinnedCall {
  callId: string;
  role: string;
  model: string;
  thread: string;
  epoch: number;
  /** Messages before this index belong to the call. */
  upTo: number;
  toolsOffered: boolean;
  /** It asks for a summary of what the thread holds, in place of what the role is for. */
  compacts?: true;
}

/** Besides the calls in flight. */
const CALLS_KEPT = 5;

/** The calls that are kept, with one that begins: the last five, and of each thread the last, which may be in flight. */
export function withPinned(
  {
    models: { calls },
    threads,
  }: { models: Pick<ModelUse, 'calls'>; threads: Readonly<Record<string, object>> },
  call: PinnedCall,
): PinnedCall[] {
  const isLast = ({ callId, thread }: PinnedCall): boolean =>
    threads[thread] !== undefined && calls.findLast(other => other.thread === thread)?.callId === callId;
  const begun = calls.length - CALLS_KEPT;
  return [...calls.filter((kept, index) => index >= begun || isLast(kept)), call];
}

/** What went wrong with the model call that is being tried; a call that succeeds, or fails for good, ends it. */
export interface Retries {
  /** Times in a row that it was lost with its worker. */
  lost: number;
  /** Times that the thread was trimmed because the model found it too long. */
  trims: number;
}

export const NO_RETRIES: Retries = { lost: 0, trims: 0 };

export interface ResolvedModel {
  /** Index of the row of the pinned table; null: none held. */
  row: number | null;
  /** What the worker's program chose, before the row. */
  model?: string;
}

export interface LastCalls {
  stop: StopReason | null;
  failure: ModelFailureType | null;
}

/** What a person chose since the start: for agents that begin later, too. */
export interface ChosenModels {
  /** For every role that is not named below; null for none. */
  all: string | null;
  roles: Record<string, string>;
}

/** What the runs of a goal, each the sub-agent of another, know of models together. */
export interface KnownModels {
  chosen: ChosenModels;
  /** The models that failed anybody in this goal for a reason that lasts, with its type: nobody is called with them unasked. */
  out: Record<string, string>;
}

export interface ModelUse extends KnownModels {
  /** Calls in flight and the last five. */
  calls: PinnedCall[];
  /** Chains that were set since the start, by role: they stand alone. */
  chains: Record<string, string[]>;
  /** The models that failed a role in this goal, by role: it goes on with another while its chain has one. */
  failed: Record<string, string[]>;
  /** By role; a role that is left out has its own chain. */
  resolved: Record<string, ResolvedModel>;
  last: Record<string, LastCalls>;
  /** The model that each role was called with last, or goes on with. */
  at: Record<string, string>;
  /** Estimated tokens of messages that a model takes, once it has found more too long: by model of the chains. */
  contextLimits: Record<string, number>;
  inputCounts: InputCounts;
  retries: Retries;
  /** Left out until an endpoint refuses something. */
  lessons?: RunLessons;
}

export function readKnownModels(raw: unknown): KnownModels | null {
  const roles = readIf(isTexts);
  const readChosen: Reader<ChosenModels> = chosen =>
    readFields<ChosenModels>(chosen, { all: all => (all === null || isText(all) ? all : undefined), roles });
  return readFields<KnownModels>(raw, { chosen: readChosen, out: roles }) ?? null;
}

export function nothingKnown(): KnownModels {
  return { chosen: { all: null, roles: {} }, out: {} };
}

/** `known`: what the run that called this one as a sub-agent knows. */
export function newModelUse(known: KnownModels = nothingKnown()): ModelUse {
  return {
    calls: [],
    chains: {},
    failed: {},
    ...known,
    resolved: {},
    last: {},
    at: {},
    contextLimits: {},
    inputCounts: {},
    retries: NO_RETRIES,
  };
}

// What endpoints count of our requests corrects what we estimate of the next ones, by model.

export interface InputCount {
  estimated: number;
  reported: number;
}

/** By model. */
export type InputCounts = Readonly<Record<string, InputCount>>;

/** Models counted; those that come later are estimated as ever. */
export const MOST_MODELS_COUNTED = 12;
const MOST_NAME_BYTES = 90;

/** Below this much, what an endpoint adds to each request tells nothing of the texts in it. */
const LEAST_ESTIMATED_TOKENS = 1_000;

/** Too low, and we send what does not fit, which some endpoints cut silently. Too high only costs messages. */
const LEAST_FACTOR = 0.75;
const MOST_FACTOR = 2;

/** The counts with one request more; the same ones where its usage is no count of the endpoint's. */
export function withInputCount(
  counts: InputCounts,
  model: string,
  { estimated, usage }: { estimated: number; usage: Pick<Usage, 'inputTokens' | 'estimated'> },
): InputCounts {
  const before = ownValue(counts, model);
  const isRoom = Object.keys(counts).length < MOST_MODELS_COUNTED && jsonBytes(model) <= MOST_NAME_BYTES;
  if (usage.estimated || estimated === 0 || !(before || isRoom)) return counts;
  const { estimated: soFar, reported } = before ?? { estimated: 0, reported: 0 };
  return {
    ...counts,
    [model]: { estimated: soFar + estimated, reported: reported + usage.inputTokens },
  };
}

/** Tokens of the model to one that is estimated: 0.75 to 2, and 1 until enough was counted. */
export function tokenFactor(counts: InputCounts, model: string): number {
  const factor = countedFactor(ownValue(counts, model)) ?? 1;
  return Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, factor));
}

/** The same for what must not cost more than was reckoned: as counted. A model not counted yet may take twice what others do. */
export function dearFactor(counts: InputCounts, model: string): number {
  const factor = countedFactor(ownValue(counts, model));
  const others = Object.values(counts).map(each => countedFactor(each) ?? 0);
  return Math.max(LEAST_FACTOR, factor ?? MOST_FACTOR * Math.max(1, ...others));
}

/** Null until enough was counted. */
function countedFactor({ estimated, reported }: InputCount = { estimated: 0, reported: 0 }): number | null {
  return estimated < LEAST_ESTIMATED_TOKENS ? null : reported / estimated;
}
