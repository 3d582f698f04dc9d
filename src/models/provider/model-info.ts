/**
 * What is known of models: tokens that fit, prices, what they can do (M8). The data is `model-info.json`, which
 * `npm run models:update` makes; what the configuration says goes before it.
 */

import { readFileSync } from 'node:fs';
import type { ModelRequestHead } from '../../rules/prompts/model-request.js';
import type { PinnedModel } from '../../run/agents/run-config.js';
import { cacheDiscount } from '../../run/limits/budget-tokens.js';
import { DEFAULT_CONTEXT_TOKENS } from '../../run/limits/tokens.js';
import type { Usage } from '../../run/messages/message.js';
import { KNOWN_ENDPOINTS, knownEndpoint, splitModelId } from './endpoint.js';
import { DEMO, type EndpointEntries, type Lookup } from './endpoints.js';
import type { ReportedUsage } from './provider.js';

/** US dollars for a million tokens. */
interface Prices {
  input: number;
  output: number;
  /** Input that the endpoint had in its cache. Default: as `input`. */
  cachedInput?: number;
  /** Input that it wrote to its cache. Default: as `input`. */
  cacheWriteInput?: number;
}

export interface ModelPrices extends Prices {
  /** Of requests with more input tokens than `above`: they cost this as a whole. Ascending. */
  longContext?: readonly (Prices & { above: number })[];
}

/** What a model can do; null where that is not known: then it is tried. */
export interface ModelCapabilities {
  tools: boolean | null;
  vision: boolean | null;
  /** Its replies can be held to a JSON Schema. */
  json: boolean | null;
  reasoning: boolean | null;
}

export interface ModelInfo {
  contextTokens: number;
  /** Tokens that a reply may have; null where that is not known. */
  maxOutputTokens: number | null;
  /** Null where prices are not known: cost is then null, never 0. */
  prices: ModelPrices | null;
  capabilities: ModelCapabilities;
}

/** Part of what is known of a model, as data and configuration have it. */
export interface ModelEntry {
  contextTokens?: number;
  maxOutputTokens?: number;
  prices?: ModelPrices;
  capabilities?: Partial<ModelCapabilities>;
}

/** What the configuration says of models: `models` of `steersman.yaml`. */
export interface ModelsConfig {
  endpoints: EndpointEntries;
  info: Readonly<Record<string, ModelEntry>>;
}

// Read, not imported: Node 20 warns about JSON modules, and older transpile targets can't express them.
const data = JSON.parse(readFileSync(new URL('./model-info.json', import.meta.url), 'utf8')) as {
  providers: Record<string, Record<string, ModelEntry>>;
};
const PROVIDERS: ReadonlyMap<string, ReadonlyMap<string, ModelEntry>> = new Map(
  Object.entries(data.providers).map(([name, models]) => [name, new Map(Object.entries(models))]),
);

/** Whose endpoint a host is: there its prices hold. */
const HOSTS: readonly [RegExp, string][] = [
  [/(^|\.)api\.openai\.com$/, 'openai'],
  [/(^|\.)anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'gemini'],
  [/(^|\.)x\.ai$/, 'xai'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/(^|\.)mistral\.ai$/, 'mistral'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/(^|\.)cerebras\.ai$/, 'cerebras'],
  [/(^|\.)together\.(xyz|ai)$/, 'together_ai'],
  [/^dashscope[\w-]*\.aliyuncs\.com$/, 'dashscope'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot'],
  [/(^|\.)z\.ai$/, 'zai'],
  [/(^|\.)minimax(i)?\.(io|com)$/, 'minimax'],
];
/** Their models cost the same behind a gateway as at their own endpoint; models of others may be anybody's. */
const MAKERS = ['openai', 'anthropic', 'gemini', 'xai'];
/** Dated and tagged versions are as the model without them: `-2025-08-07`, `-0613`, `-latest`, `:8b`. */
const VERSION = /(-\d{4}-\d{2}-\d{2}|-\d{4,8}|-latest|:[\w.-]+)$/;
/** Of a window that request and reply share, what a request leaves to the reply: see `fit-thread.ts`. */
const REPLY_SHARE = 0.2;

const RULES: ModelEntry = { contextTokens: 2_000_000, prices: { input: 0, output: 0 } };

/** Ids of the models of endpoints that variables alone make, by their providers' own names. */
export function knownModels(): string[] {
  return Object.keys(KNOWN_ENDPOINTS).flatMap(endpoint => {
    return [...(PROVIDERS.get(endpoint)?.keys() ?? [])].map(name => `${endpoint}/${name}`);
  });
}

/** Looks up a model id `endpoint/model`: what the configuration says of it, of its endpoint, then the data. */
export function modelInfo(
  modelId: string,
  { endpoints, info }: ModelsConfig = { endpoints: {}, info: {} },
  lookup: Lookup = () => undefined,
): ModelInfo {
  const { provider: endpoint, model } = splitModelId(modelId);
  const entry = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined;
  const said = Object.hasOwn(info, modelId) ? info[modelId] : undefined;
  const known = endpoint === DEMO ? RULES : knownOf(hostOf(endpoint, entry?.baseUrl, lookup), model);
  const window = said?.contextTokens ?? entry?.contextTokens;
  const ofWindow = window === undefined ? null : Math.floor(window * REPLY_SHARE);
  return {
    contextTokens: window ?? known?.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
    maxOutputTokens: said?.maxOutputTokens ?? known?.maxOutputTokens ?? ofWindow,
    prices: said?.prices ?? known?.prices ?? null,
    capabilities: { ...NOT_KNOWN, ...known?.capabilities, ...said?.capabilities },
  };
}

const NOT_KNOWN: ModelCapabilities = { tools: null, vision: null, json: null, reasoning: null };

function hostOf(endpoint: string, baseUrl: string | undefined, lookup: Lookup): string {
  const known = knownEndpoint(endpoint);
  const address = baseUrl ?? (known && (lookup(known.urlVariable) ?? known.url)) ?? '';
  return URL.canParse(address) ? new URL(address).hostname : '';
}

/** By the host where the model is asked, else by its name alone. */
function knownOf(host: string, model: string): ModelEntry | undefined {
  const seller = HOSTS.find(([pattern]) => pattern.test(host))?.[1];
  const sold = seller === undefined ? undefined : entryOf(seller, model);
  if (sold) return sold;
  for (const maker of PROVIDERS.keys()) {
    const made = entryOf(maker, model);
    if (!made) continue;
    const { prices, ...facts } = made;
    return prices && MAKERS.includes(maker) ? made : facts;
  }
  return undefined;
}

function entryOf(provider: string, model: string): ModelEntry | undefined {
  const models = PROVIDERS.get(provider);
  const name = model.toLowerCase();
  const last = name.slice(name.lastIndexOf('/') + 1);
  // Gateways write some names with dots that their makers write with dashes.
  const names = [name, last, last.replace(VERSION, ''), last.replaceAll('.', '-')];
  return names.map(candidate => models?.get(candidate)).find(entry => entry !== undefined);
}

export function pinnedModel({ contextTokens, maxOutputTokens, prices }: ModelInfo): PinnedModel {
  return { contextTokens, maxOutputTokens, costKnown: prices !== null };
}

/** What a request has used, with what that costs and how much of it counts. */
export function pricedUsage(prices: ModelPrices | null, usage: ReportedUsage): Usage {
  const tier = prices?.longContext?.findLast(({ above }) => usage.inputTokens > above) ?? prices;
  const cacheDiscountTokens = cacheDiscount(usage, tier);
  return {
    ...usage,
    ...(cacheDiscountTokens > 0 && { cacheDiscountTokens }),
    costUsd: tier && costUsd(tier, usage),
  };
}

function costUsd(
  { input, output, cachedInput = input, cacheWriteInput = input }: Prices,
  usage: ReportedUsage,
): number {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens = 0 } = usage;
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteInputTokens);
  const millionths =
    fresh * input +
    cachedInputTokens * cachedInput +
    cacheWriteInputTokens * cacheWriteInput +
    outputTokens * output;
  return millionths / 1_000_000;
}

// What a role asks for, as far as its model is known to give it: more is refused by some endpoints.

export function withinModel(head: ModelRequestHead, info: ModelInfo): ModelRequestHead {
  const { json, reasoning } = info.capabilities;
  return {
    ...head,
    // Its prompt says the form all the same.
    output: json === false ? 'text' : head.output,
    reasoning: reasoning === false ? null : head.reasoning,
    maxOutputTokens: lesser(head.maxOutputTokens, info.maxOutputTokens),
  };
}

function lesser(wanted: number | null, most: number | null): number | null {
  return wanted === null || most === null ? wanted : Math.min(wanted, most);
}
