/** What is known of models: tokens that fit, and prices (M8). The data is in `model-info.json`. */
import { readFileSync } from 'node:fs';
import type { PinnedModel } from '../core/run-config.js';
import { DEFAULT_CONTEXT_TOKENS } from '../core/tokens.js';
import { splitModelId } from './model-id.js';
import type { ReportedUsage } from './provider.js';

/** US dollars for a million tokens. */
interface ModelPrices {
  input: number;
  /** Input tokens that the endpoint had in its cache. */
  cachedInput: number;
  output: number;
}

export interface ModelInfo {
  /** Tokens that a request may have, room for the reply already taken off where both share one window. */
  contextTokens: number;
  /** Null where prices are not known: cost is then null, never 0. */
  prices: ModelPrices | null;
}

interface Entry {
  contextTokens: number;
  usdPerMillion?: ModelPrices;
}

// Read, not imported: Node 20 warns about JSON modules, and older transpile targets can't express them.
const data = JSON.parse(readFileSync(new URL('./model-info.json', import.meta.url), 'utf8')) as {
  models: Record<string, Entry>;
};
const MODELS: ReadonlyMap<string, Entry> = new Map(Object.entries(data.models));
/** Dated and tagged versions cost what the model without them costs: `-2025-08-07`, `-0613`, `-latest`, `:8b`. */
const VERSION = /(-\d{4}-\d{2}-\d{2}|-\d{4,8}|-latest|:[\w.-]+)$/;

/** Ids of the models that are known by their providers' own names. */
export function knownModels(): string[] {
  return [...MODELS.keys()].flatMap(name => {
    if (/^(gpt-\d|o\d)/.test(name)) return [`openai/${name}`];
    return name.startsWith('claude') ? [`anthropic/${name}`] : [];
  });
}

/** Looks up a model id `provider/model`. An unknown model gets the defaults. */
export function modelInfo(modelId: string): ModelInfo {
  const name = splitModelId(modelId).model.toLowerCase();
  const last = name.slice(name.lastIndexOf('/') + 1);
  const entry = MODELS.get(name) ?? MODELS.get(last) ?? MODELS.get(last.replace(VERSION, ''));
  return {
    contextTokens: entry?.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
    prices: entry?.usdPerMillion ?? null,
  };
}

/** The part of a model's facts that a run pins at its start. */
export function pinnedModel(modelId: string): PinnedModel {
  const info = modelInfo(modelId);
  return { contextTokens: info.contextTokens, costKnown: info.prices !== null };
}

/** Cost of a call in US dollars; null when the prices are unknown. */
export function costUsd(modelId: string, usage: ReportedUsage): number | null {
  const { prices } = modelInfo(modelId);
  if (!prices) return null;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedInputTokens);
  const millionths =
    fresh * prices.input + usage.cachedInputTokens * prices.cachedInput + usage.outputTokens * prices.output;
  return millionths / 1_000_000;
}
