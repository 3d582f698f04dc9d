/** Where models are reached (M2): an address, the protocol that is spoken there, and the key. */

import type { ToolSyntax } from '../../run/agents/role.js';
import { FAILURE } from '../../run/limits/failure.js';
import { ModelCallError } from './model-call-error.js';

export const PROTOCOLS = ['openai-responses', 'openai-compatible', 'anthropic'] as const;
/**
 * `openai-responses`: OpenAI's Responses API. `openai-compatible`: chat completions, as most servers speak them.
 * `anthropic`: Anthropic's Messages API.
 */
export type Protocol = (typeof PROTOCOLS)[number];

export interface EndpointSettings {
  /** First segment of its model ids: `home` of `home/qwen3`. */
  name: string;
  /** Default `openai-compatible`. */
  protocol?: Protocol;
  /** May be left out where there is a key: then it is the provider's own. */
  baseUrl?: string | undefined;
  /** May be left out with `baseUrl`: local endpoints want none. */
  apiKey?: string | undefined;
  /** Sent with every request, beside those of the protocol. */
  headers?: Readonly<Record<string, string>>;
  /** How its models call tools. Default `native`. */
  toolSyntax?: ToolSyntax | undefined;
  /** Where the key is set, for messages. Default `OPENAI_API_KEY`, or `ANTHROPIC_API_KEY` for its protocol. */
  keyVariable?: string;
  /** Where the address is set, for messages: a variable, or a key of the configuration. Default as for the key. */
  urlVariable?: string;
}

/** An endpoint whose address is checked. */
export interface Endpoint
  extends Required<Pick<EndpointSettings, 'name' | 'protocol' | 'headers' | 'keyVariable' | 'urlVariable'>> {
  url: URL;
  apiKey: string | undefined;
  toolSyntax: ToolSyntax | undefined;
  /** The address is the provider's own: none is set. */
  ownAddress: boolean;
}

/** Throws `ModelCallError`: `model.auth` where there is neither key nor address, `model.bad_request` for no URL. */
export function endpointOf(settings: EndpointSettings): Endpoint {
  const { name, protocol = 'openai-compatible', apiKey, baseUrl, headers = {} } = settings;
  const owner = ownerOf(protocol);
  const { keyVariable = owner.keyVariable, urlVariable = owner.urlVariable } = settings;
  if (apiKey === undefined && baseUrl === undefined) {
    const hint = `Set ${keyVariable}, or ${urlVariable} for an endpoint that needs no key.`;
    throw new ModelCallError(FAILURE.model.auth, `No model endpoint is configured for "${name}". ${hint}`);
  }
  const fault = apiKey === undefined ? null : keyFault(apiKey);
  if (fault !== null) throw new ModelCallError(FAILURE.model.auth, `The key in ${keyVariable} ${fault}`);
  const url = parseBaseUrl(baseUrl ?? owner.url, urlVariable);
  const where = { keyVariable, urlVariable, ownAddress: baseUrl === undefined };
  return { name, protocol, url, apiKey, headers, toolSyntax: settings.toolSyntax, ...where };
}

/** Why no header can carry a key, or no endpoint knows it, without the key; null for nothing. */
function keyFault(key: string): string | null {
  if (/[\r\n]/.test(key)) return 'has a line end in it: write it on one line, without anything else.';
  if (/^["'“”‘’`]|["'“”‘’`]$/.test(key)) return 'has quotation marks around it: write it without them.';
  if (key !== key.trim()) return 'has blanks around it: write it without them.';
  return /[^\x20-\x7e]/.test(key) ? 'has letters in it that no key has: copy it once more.' : null;
}

function parseBaseUrl(text: string, urlVariable: string): URL {
  const fault = baseUrlFault(text);
  if (fault === null) return new URL(text);
  throw new ModelCallError(FAILURE.model.badRequest, `${urlVariable} ${fault}.`);
}

/** What is wrong with an address, without the address, in which a password may stand; null where nothing is. */
export function baseUrlFault(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL. Write it as in http://localhost:11434/v1';
  const url = new URL(text);
  if (/^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return null;
  return 'must begin with http:// or https:// and hold no user and password';
}

/** An endpoint that exists by environment variables alone. Which these are, and what to advise, is said here only. */
export interface KnownEndpoint {
  /** The provider's own address, where none is set. */
  url: string;
  /** Answers at that address where nobody names a model. */
  model: string;
  keyVariable: string;
  urlVariable: string;
  /** Protocol at this address: the provider's own, or another that is said to speak as it does. */
  protocolAt(url: URL): Protocol;
}

export const KNOWN_ENDPOINTS: Readonly<Record<'openai' | 'anthropic', KnownEndpoint>> = {
  openai: {
    url: 'https://api.openai.com/v1',
    model: 'gpt-5-mini',
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    // Whoever else speaks as OpenAI does speaks chat completions.
    protocolAt: ({ hostname }) => (isOpenAi(hostname) ? 'openai-responses' : 'openai-compatible'),
  },
  anthropic: {
    url: 'https://api.anthropic.com',
    model: 'claude-sonnet-5',
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    protocolAt: () => 'anthropic',
  },
};

/** The endpoint that a name stands for without any configuration; undefined for none. */
export function knownEndpoint(name: string): KnownEndpoint | undefined {
  return Object.entries(KNOWN_ENDPOINTS).find(([known]) => known === name)?.[1];
}

/** Whose protocol it is: their address, model and variables hold where an endpoint has none of its own. */
export function ownerOf(protocol: Protocol = 'openai-compatible'): KnownEndpoint {
  return protocol === 'anthropic' ? KNOWN_ENDPOINTS.anthropic : KNOWN_ENDPOINTS.openai;
}

/** Any of them set means that a real model is wanted. */
export const ENDPOINT_VARIABLES: readonly string[] = Object.values(KNOWN_ENDPOINTS).flatMap(
  ({ keyVariable, urlVariable }) => [keyVariable, urlVariable],
);

const KEY_VARIABLES = Object.values(KNOWN_ENDPOINTS).map(({ keyVariable }) => keyVariable);

/** What there is where none of them is set and no endpoint is configured, as half a sentence. */
export const NO_ENDPOINT = `none of ${ENDPOINT_VARIABLES.join(', ')} is set, and steersman.yaml has no models.endpoints`;

export const SET_AN_ENDPOINT = `Put ${KEY_VARIABLES.join(' or ')} into .env or the environment, or write an endpoint into steersman.yaml (docs/models.md).`;

function isOpenAi(hostname: string): boolean {
  return hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com');
}

/** `openai/meta/llama` is model `meta/llama` of `openai`; without a slash, `model` is empty. */
export function splitModelId(modelId: string): { provider: string; model: string } {
  const slash = modelId.indexOf('/');
  if (slash < 0) return { provider: modelId, model: '' };
  return { provider: modelId.slice(0, slash), model: modelId.slice(slash + 1) };
}
