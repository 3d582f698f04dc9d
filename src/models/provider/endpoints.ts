/** Which endpoints there are: those of the configuration, and those that variables make. */

import type { ToolSyntax } from '../../run/agents/role.js';
import { FAILURE } from '../../run/limits/failure.js';
import type { EndpointSettings, KnownEndpoint, Protocol } from './endpoint.js';
import { KNOWN_ENDPOINTS, knownEndpoint, splitModelId } from './endpoint.js';
import { ModelCallError } from './model-call-error.js';

/** An endpoint as the configuration says it, without its key. */
export interface EndpointEntry {
  /** Default: the provider's own for `openai` and `anthropic`, else `openai-compatible`. */
  protocol?: Protocol;
  baseUrl?: string;
  /** Variable that holds the key. Default: that of `openai` and `anthropic` where no other address is given. */
  keyVariable?: string;
  /** `${VAR}` is filled in. */
  headers: Readonly<Record<string, string>>;
  contextTokens?: number;
  toolSyntax?: ToolSyntax;
}

export type EndpointEntries = Readonly<Record<string, EndpointEntry>>;

export type Lookup = (variable: string) => string | undefined;

/** Answers by rules, and only when it is named: src/models/demo. */
export const DEMO = 'demo';
/** As `.mcp.json` has them. */
const VARIABLE = /\$\{([A-Za-z_]\w*)\}/g;

/** Every name that a model id may begin with: needs no keys. `given`: those of a program's own providers. */
export function endpointNames(entries: EndpointEntries, given: readonly string[] = []): string[] {
  return [...new Set([...Object.keys(entries), ...given, ...Object.keys(KNOWN_ENDPOINTS), DEMO])];
}

/** Names of the endpoints that exist here: those of the configuration, and those whose variables are set. */
export function presentEndpoints(entries: EndpointEntries, lookup: Lookup): string[] {
  const isSet = ({ keyVariable, urlVariable }: KnownEndpoint) =>
    lookup(keyVariable) !== undefined || lookup(urlVariable) !== undefined;
  const byVariable = Object.entries(KNOWN_ENDPOINTS).filter(([, known]) => isSet(known));
  return [...new Set([...Object.keys(entries), ...byVariable.map(([name]) => name)])];
}

/** Why no endpoint can answer for a model, in words: needs no keys. Null where one can, if its key is set. */
export function endpointFault(modelId: string, endpoints: readonly string[]): string | null {
  const { provider, model } = splitModelId(modelId);
  const there = `Endpoints here: ${endpoints.join(', ')}.`;
  if (model === '')
    return `"${modelId}" is no model id. Write endpoint/model, as in openai/gpt-5-mini. ${there}`;
  return endpoints.includes(provider)
    ? null
    : `there is no endpoint "${provider}" for the model ${modelId}. ${there}`;
}

/**
 * What is spoken to under a name, key included. An entry of the configuration goes before variables, and a key goes
 * nowhere but to the address it is meant for.
 * @throws ModelCallError `model.auth` where a variable that the entry names is not set.
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

/** The address that is set; undefined for the provider's own. */
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
