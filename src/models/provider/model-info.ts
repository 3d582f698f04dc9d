/**
 * Facts about models: context size, prices, capabilities (M8). The data is `model-info.json`, which `npm run
 * models:update` generates. The configuration takes precedence over it.
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

/** US dollars per million tokens. */
interface Prices {
  input: number;
  output: number;
  /** Input tokens read from the endpoint's cache. Default: the price of `input`. */
  cachedInput?: number;
  /** Input tokens written to the endpoint's cache. Default: the price of `input`. */
  cacheWriteInput?: number;
}

export interface ModelPrices extends Prices {
  /** Prices of requests with more than `above` input tokens; they apply to the whole request. Sorted ascending. */
  longContext?: readonly (Prices & { above: number })[];
}

/** The capabilities of a model. Null means unknown: then it is tried. */
export interface ModelCapabilities {
  tools: boolean | null;
  vision: boolean | null;
  /** True if replies can be bound to a JSON Schema. */
  json: boolean | null;
  reasoning: boolean | null;
}

export interface ModelInfo {
  contextTokens: number;
  /** The most tokens that a reply may have; null if unknown. */
  maxOutputTokens: number | null;
  /** Null if the prices are unknown; the cost is then null, never 0. */
  prices: ModelPrices | null;
  capabilities: ModelCapabilities;
}

/** Facts about a model, as data and configuration state them; any may be missing. */
export interface ModelEntry {
  contextTokens?: number;
  maxOutputTokens?: number;
  prices?: ModelPrices;
  capabilities?: Partial<ModelCapabilities>;
}

/** The models section of `steersman.yaml`. */
export interface ModelsConfig {
  endpoints: EndpointEntries;
  info: Readonly<Record<string, ModelEntry>>;
}

// The file is read, not imported: Node 20 warns about JSON modules, and older transpile targets can't express them.
const data = JSON.parse(readFileSync(new URL('./model-info.json', import.meta.url), 'utf8')) as {
  providers: Record<string, Record<string, ModelEntry>>;
};
const PROVIDERS: ReadonlyMap<string, ReadonlyMap<string, ModelEntry>> = new Map(
  Object.entries(data.providers).map(([name, models]) => [name, new Map(Object.entries(models))]),
);

/** Providers by the hosts at which their prices apply. */
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
/** Models of these makers cost the same behind a gateway. Other models may be sold by anyone at any price. */
const MAKERS = ['openai', 'anthropic', 'gemini', 'xai'];
/** Endings of dated and tagged versions, which inherit the plain name's facts: `-2025-08-07`, `-0613`, `-latest`, `:8b`. */
const VERSION = /(-\d{4}-\d{2}-\d{2}|-\d{4,8}|-latest|:[\w.-]+)$/;
/** The share of a context window that requests leave for the reply: see `fit-thread.ts`. */
const REPLY_SHARE = 0.2;

const RULES: ModelEntry = { contextTokens: 2_000_000, prices: { input: 0, output: 0 } };

/** Returns the model ids of the endpoints that variables alone can define. */
export function knownModels(): string[] {
  return Object.keys(KNOWN_ENDPOINTS).flatMap(endpoint => {
    return [...(PROVIDERS.get(endpoint)?.keys() ?? [])].map(name => `${endpoint}/${name}`);
  });
}

/** Looks up a model id `endpoint/model`. Settings for the model take precedence, then those for its endpoint, then the data. */
export function modelInfo(
  modelId: string,
  { endpoints, info }: ModelsConfig = { endpoints: {}, info: {} },
  lookup: Lookup = () => undefined,
): ModelInfo {
  const { provider: endpoint, model } = splitModelId(modelId);
  const entry = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined;
  const stated = Object.hasOwn(info, modelId) ? info[modelId] : undefined;
  const known = endpoint === DEMO ? RULES : knownOf(hostOf(endpoint, entry?.baseUrl, lookup), model);
  const window = stated?.contextTokens ?? entry?.contextTokens;
  const ofWindow = window === undefined ? null : Math.floor(window * REPLY_SHARE);
  return {
    contextTokens: window ?? known?.contextTokens ?? DEFAULT_CONTEXT_TOKENS,
    maxOutputTokens: stated?.maxOutputTokens ?? known?.maxOutputTokens ?? ofWindow,
    prices: stated?.prices ?? known?.prices ?? null,
    capabilities: { ...NOT_KNOWN, ...known?.capabilities, ...stated?.capabilities },
  };
}

const NOT_KNOWN: ModelCapabilities = { tools: null, vision: null, json: null, reasoning: null };

function hostOf(endpoint: string, baseUrl: string | undefined, lookup: Lookup): string {
  const known = knownEndpoint(endpoint);
  const address = baseUrl ?? (known && (lookup(known.urlVariable) ?? known.url)) ?? '';
  return URL.canParse(address) ? new URL(address).hostname : '';
}

/** Looks up the model under the host's provider first, then by its name under all providers. */
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
  // Gateways write dots in some names for which their makers write dashes.
  const names = [name, last, last.replace(VERSION, ''), last.replaceAll('.', '-')];
  return names.map(candidate => models?.get(candidate)).find(entry => entry !== undefined);
}

export function pinnedModel({ contextTokens, maxOutputTokens, prices }: ModelInfo): PinnedModel {
  return { contextTokens, maxOutputTokens, costKnown: prices !== null };
}

/** Returns the usage of a request with its cost and its cache discount. */
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

// Reduces a role's request to what its model is known to support, because some endpoints refuse more.

export function withinModel(head: ModelRequestHead, info: ModelInfo): ModelRequestHead {
  const { json, reasoning } = info.capabilities;
  return {
    ...head,
    // The role's prompt still describes the form.
    output: json === false ? 'text' : head.output,
    reasoning: reasoning === false ? null : head.reasoning,
    maxOutputTokens: lesser(head.maxOutputTokens, info.maxOutputTokens),
  };
}

function lesser(wanted: number | null, most: number | null): number | null {
  return wanted === null || most === null ? wanted : Math.min(wanted, most);
}
