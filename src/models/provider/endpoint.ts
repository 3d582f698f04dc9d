/** An endpoint is where models are reached (M2): an address, its protocol, and the key. */

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
  /** Optional if there is a key: the address is then the provider's own. */
  baseUrl?: string | undefined;
  /** Optional if there is a `baseUrl`, since local endpoints need no key. */
  apiKey?: string | undefined;
  /** Sent with every request, in addition to the protocol's headers. */
  headers?: Readonly<Record<string, string>>;
  /** Fields added to each request's body; they override the protocol's own (CF11). */
  extraBody?: Readonly<Record<string, unknown>>;
  /** How the endpoint's models call tools. Default `native`. */
  toolSyntax?: ToolSyntax | undefined;
  /** Where the key is set, for messages. Default `OPENAI_API_KEY`, or `ANTHROPIC_API_KEY` for Anthropic's protocol. */
  keyVariable?: string;
  /**
   * Where the address is set, for messages: a variable or a key of the configuration. Default: `OPENAI_BASE_URL`, or
   * `ANTHROPIC_BASE_URL` for Anthropic's protocol.
   */
  urlVariable?: string;
}

/** An endpoint whose address has been checked. */
export interface Endpoint
  extends Required<
    Pick<EndpointSettings, 'name' | 'protocol' | 'headers' | 'extraBody' | 'keyVariable' | 'urlVariable'>
  > {
  url: URL;
  apiKey: string | undefined;
  toolSyntax: ToolSyntax | undefined;
  /** True if no address is set, so that the provider's own is used. */
  ownAddress: boolean;
}

/**
 * Throws `ModelCallError`: `model.auth` without key and address or for a malformed key, `model.bad_request` for a bad
 * address.
 */
export function endpointOf(settings: EndpointSettings): Endpoint {
  const { name, protocol = 'openai-compatible', apiKey, baseUrl, headers = {}, extraBody = {} } = settings;
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
  return { name, protocol, url, apiKey, headers, extraBody, toolSyntax: settings.toolSyntax, ...where };
}

/** Returns why a key can't be sent in a header or can't be valid, without quoting it; null if it is well formed. */
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

/** Returns what is wrong with an address; null if it is valid. The address is not quoted, since it may contain a password. */
export function baseUrlFault(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL. Write it as in http://localhost:11434/v1';
  const url = new URL(text);
  if (/^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return null;
  return 'must begin with http:// or https:// and hold no user and password';
}

/** An endpoint that environment variables alone can define. Only this file lists them, with their advice. */
export interface KnownEndpoint {
  /** The provider's own address, used if no address is set. */
  url: string;
  /** The model at that address if the configuration names no model. */
  model: string;
  keyVariable: string;
  urlVariable: string;
  /** Returns the protocol at this address: the provider's own, or the protocol of compatible servers. */
  protocolAt(url: URL): Protocol;
}

export const KNOWN_ENDPOINTS: Readonly<Record<'openai' | 'anthropic', KnownEndpoint>> = {
  openai: {
    url: 'https://api.openai.com/v1',
    model: 'gpt-5-mini',
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    // Other servers that are compatible with OpenAI speak chat completions.
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

/** Returns the endpoint that a name means without any configuration; undefined for other names. */
export function knownEndpoint(name: string): KnownEndpoint | undefined {
  return Object.entries(KNOWN_ENDPOINTS).find(([known]) => known === name)?.[1];
}

/** Returns the provider that defined the protocol. Its address, model and variables are the defaults of endpoints. */
export function ownerOf(protocol: Protocol = 'openai-compatible'): KnownEndpoint {
  return protocol === 'anthropic' ? KNOWN_ENDPOINTS.anthropic : KNOWN_ENDPOINTS.openai;
}

/** If any of them is set, the user wants a real model. */
export const ENDPOINT_VARIABLES: readonly string[] = Object.values(KNOWN_ENDPOINTS).flatMap(
  ({ keyVariable, urlVariable }) => [keyVariable, urlVariable],
);

const KEY_VARIABLES = Object.values(KNOWN_ENDPOINTS).map(({ keyVariable }) => keyVariable);

/** The explanation, as half a sentence, for a setup with no variable set and no endpoint configured. */
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
