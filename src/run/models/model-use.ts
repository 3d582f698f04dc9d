/** A run's state about the models that it calls. */

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

/** The request of a model call, fixed when it is scheduled: every retry sends the same. */
export interface PinnedCall {
  callId: string;
  role: string;
  model: string;
  thread: string;
  epoch: number;
  /** Messages before this index belong to the request. */
  upTo: number;
  toolsOffered: boolean;
  /** Name of the feature that binds its reply to a schema; absent if the reply is unbound. */
  form?: string;
  /** The call asks for a summary of its thread instead of the role's work. */
  compacts?: true;
}

/** Stored in addition to the calls in flight. */
const CALLS_KEPT = 5;

/** Returns the stored calls with a new one: the last five, and the last of each thread, which may be in flight. */
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

/** Failures of the model call in progress; reset when the call succeeds or finally fails. */
export interface Retries {
  /** Consecutive times that the call was lost with its worker. */
  lost: number;
  /** Times that the thread was trimmed because the model rejected it as too long. */
  trims: number;
}

export const NO_RETRIES: Retries = { lost: 0, trims: 0 };

export interface ResolvedModel {
  /** Index of the matching row in the pinned table; null if no row matched. */
  row: number | null;
  /** The choice of the worker's program, which precedes the row. */
  model?: string;
}

export interface LastCalls {
  stop: StopReason | null;
  failure: ModelFailureType | null;
}

/** A person's choices since the start; they also apply to agents that begin later. */
export interface ChosenModels {
  /** The model for every role without an entry below; null if not chosen. */
  all: string | null;
  roles: Record<string, string>;
}

/** Knowledge of models that the runs of a goal and its sub-agents share. */
export interface KnownModels {
  chosen: ChosenModels;
  /** Models that failed any of them in this goal for a lasting reason, with its type: they are not called again unasked. */
  out: Record<string, string>;
}

export interface ModelUse extends KnownModels {
  /** Calls in flight and the last five. */
  calls: PinnedCall[];
  /** Chains set since the start, by role; they replace all other choices. */
  chains: Record<string, string[]>;
  /** Models that failed a role in this goal, by role: it uses another while its chain has one. */
  failed: Record<string, string[]>;
  /** The resolved model by role; a role without an entry uses its own chain. */
  resolved: Record<string, ResolvedModel>;
  last: Record<string, LastCalls>;
  /** The model that each role was last called with, or continues with. */
  at: Record<string, string>;
  /** A model's limit in estimated message tokens, learnt when it rejected a longer request, by model. */
  contextLimits: Record<string, number>;
  inputCounts: InputCounts;
  retries: Retries;
  /** Absent until an endpoint refuses something. */
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

/** `known`: knowledge of the run that called this one as a sub-agent. */
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

// This section corrects token estimates by the endpoints' counts of earlier requests, by model.

export interface InputCount {
  estimated: number;
  reported: number;
}

export type InputCounts = Readonly<Record<string, InputCount>>;

/** The number of models that are counted; estimates for later ones are not corrected. */
export const MOST_MODELS_COUNTED = 12;
const MOST_NAME_BYTES = 90;

/** For fewer tokens, the endpoint's fixed additions to each request hide the count of its texts. */
const LEAST_ESTIMATED_TOKENS = 1_000;

/** A factor that is too low sends too much, which some endpoints cut silently; one too high only costs messages. */
const LEAST_FACTOR = 0.75;
const MOST_FACTOR = 2;

/** Adds a request to the counts; returns them unchanged if its usage is estimated or there is no room. */
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

/** Returns the model's tokens for each estimated one: 0.75 to 2, and 1 until enough was counted. */
export function tokenFactor(counts: InputCounts, model: string): number {
  const factor = countedFactor(ownValue(counts, model)) ?? 1;
  return Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, factor));
}

/**
 * The factor for costs that must not be underestimated: it has no maximum, and for an uncounted model it is twice the
 * others' highest.
 */
export function cautiousFactor(counts: InputCounts, model: string): number {
  const factor = countedFactor(ownValue(counts, model));
  const others = Object.values(counts).map(each => countedFactor(each) ?? 0);
  return Math.max(LEAST_FACTOR, factor ?? MOST_FACTOR * Math.max(1, ...others));
}

/** Null until enough tokens were counted. */
function countedFactor({ estimated, reported }: InputCount = { estimated: 0, reported: 0 }): number | null {
  return estimated < LEAST_ESTIMATED_TOKENS ? null : reported / estimated;
}
