/** The available endpoints: those of the configuration, and those defined by variables. */

import type { ToolSyntax } from '../../run/agents/role.js';
import { FAILURE } from '../../run/limits/failure.js';
import type { EndpointSettings, KnownEndpoint, Protocol } from './endpoint.js';
import { KNOWN_ENDPOINTS, knownEndpoint, splitModelId } from './endpoint.js';
import { ModelCallError } from './model-call-error.js';

/** An endpoint as the configuration declares it, without its key. */
export interface EndpointEntry {
  /** Default: derived from the address for `openai` and `anthropic`, otherwise `openai-compatible`. */
  protocol?: Protocol;
  baseUrl?: string;
  /** The variable that holds the key. Default: the variable of `openai` or `anthropic`, unless `baseUrl` is set. */
  keyVariable?: string;
  /** `${VAR}` is replaced by the variable's value. */
  headers: Readonly<Record<string, string>>;
  /** Fields of each request's body. */
  extraBody?: Readonly<Record<string, unknown>>;
  contextTokens?: number;
  toolSyntax?: ToolSyntax;
}

export type EndpointEntries = Readonly<Record<string, EndpointEntry>>;

export type Lookup = (variable: string) => string | undefined;

/** The demo model answers by rules, and only if it is named: packages/demo-model. */
export const DEMO = 'demo';
/** A variable, in the notation of `.mcp.json`. */
const VARIABLE = /\$\{([A-Za-z_]\w*)\}/g;

/** Returns every name that a model id may begin with, without needing keys. `given` names the program's own providers. */
export function endpointNames(entries: EndpointEntries, given: readonly string[] = []): string[] {
  return [...new Set([...Object.keys(entries), ...given, ...Object.keys(KNOWN_ENDPOINTS), DEMO])];
}

/** Returns the names of the endpoints that exist here: the configured ones, and those whose variables are set. */
export function presentEndpoints(entries: EndpointEntries, lookup: Lookup): string[] {
  const isSet = ({ keyVariable, urlVariable }: KnownEndpoint) =>
    lookup(keyVariable) !== undefined || lookup(urlVariable) !== undefined;
  const byVariable = Object.entries(KNOWN_ENDPOINTS).filter(([, known]) => isSet(known));
  return [...new Set([...Object.keys(entries), ...byVariable.map(([name]) => name)])];
}

/** Returns why no endpoint can serve a model, in words, without needing keys; null if an endpoint of that name exists. */
export function endpointFault(modelId: string, endpoints: readonly string[]): string | null {
  const { provider, model } = splitModelId(modelId);
  const there = `Endpoints here: ${endpoints.join(', ')}.`;
  if (model === '')
    return `"${modelId}" is not a model id. Write endpoint/model, as in openai/gpt-5-mini. ${there}`;
  return endpoints.includes(provider)
    ? null
    : `there is no endpoint "${provider}" for the model ${modelId}. ${there}`;
}

/**
 * Returns the settings of the endpoint with this name, including the key. The configuration's entry takes precedence
 * over variables, and a key is only sent to the address that it belongs to.
 * @throws ModelCallError `model.auth` if a variable that the entry names is not set.
 */
export function endpointSettings(
  name: string,
  entry: EndpointEntry | undefined,
  lookup: Lookup,
): EndpointSettings {
  const known = knownEndpoint(name);
  const baseUrl = addressOf(name, entry, lookup);
  const keyVariable = entry?.keyVariable ?? (entry?.baseUrl === undefined ? known?.keyVariable : undefined);
  const key = `models.endpoints.${name}`;
  const need: Need = (variable, where) => neededValue(variable, `${key}.${where}`, lookup);
  const apiKey = entry?.keyVariable ? need(entry.keyVariable, 'keyVariable') : lookup(keyVariable ?? '');
  return {
    name,
    protocol: protocolOf(name, entry, lookup),
    baseUrl,
    apiKey,
    headers: entry ? filledIn(entry.headers, need) : {},
    ...(entry?.extraBody && { extraBody: entry.extraBody }),
    toolSyntax: entry?.toolSyntax,
    keyVariable: keyVariable ?? `${key}.keyVariable`,
    urlVariable: known && entry?.baseUrl === undefined ? known.urlVariable : `${key}.baseUrl`,
  };
}

export function keyVariables(entries: EndpointEntries): string[] {
  return Object.values(entries).flatMap(({ keyVariable, headers }) => [
    ...(keyVariable === undefined ? [] : [keyVariable]),
    ...[...Object.values(headers).join('\n').matchAll(VARIABLE)].map(([, variable = '']) => variable),
  ]);
}

type Need = (variable: string, where: string) => string;

function filledIn(headers: EndpointEntry['headers'], need: Need): Record<string, string> {
  const filled = Object.entries(headers).map(([name, value]) => {
    const text = value.replace(VARIABLE, (_, variable: string) => need(variable, `headers.${name}`));
    return [name, text] as const;
  });
  return Object.fromEntries(filled);
}

function neededValue(variable: string, key: string, lookup: Lookup): string {
  const value = lookup(variable);
  if (value !== undefined) return value;
  throw new ModelCallError(
    FAILURE.model.auth,
    `${variable} is not set, and ${key} names it. Put it into .env or the environment of the worker.`,
  );
}

/** Returns the configured address; undefined if the provider's own is used. */
function addressOf(name: string, entry: EndpointEntry | undefined, lookup: Lookup): string | undefined {
  const known = knownEndpoint(name);
  return entry?.baseUrl ?? (known && lookup(known.urlVariable));
}

export function protocolOf(name: string, entry: EndpointEntry | undefined, lookup: Lookup): Protocol {
  const known = knownEndpoint(name);
  const address = addressOf(name, entry, lookup) ?? known?.url;
  if (entry?.protocol) return entry.protocol;
  if (!known || address === undefined || !URL.canParse(address)) return 'openai-compatible';
  return known.protocolAt(new URL(address));
}
