/** Where models are reached: an address, the protocol that is spoken there, and the key. */
import { FAILURE } from '../core/failure.js';
import { ModelCallError } from './model-call-error.js';

export const PROTOCOLS = ['openai-responses', 'openai-compatible', 'anthropic'] as const;
/**
 * `openai-responses`: OpenAI's Responses API. `openai-compatible`: chat completions, as most servers speak them.
 * `anthropic`: Anthropic's Messages API.
 */
export type Protocol = (typeof PROTOCOLS)[number];

/** What an endpoint is made of. */
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
  /** Tokens that fit its models, where they are not known: local servers choose them at their start. */
  contextTokens?: number;
  /** Where the key is set, for messages. Default `OPENAI_API_KEY`, or `ANTHROPIC_API_KEY` for its protocol. */
  keyVariable?: string;
  /** Where the address is set, for messages: a variable, or a key of the configuration. Default as for the key. */
  urlVariable?: string;
}

/** An endpoint whose address is checked. */
export interface Endpoint {
  name: string;
  protocol: Protocol;
  url: URL;
  apiKey: string | undefined;
  headers: Readonly<Record<string, string>>;
  contextTokens: number | null;
  keyVariable: string;
  urlVariable: string;
}

/** Of protocols that a provider has of its own: where it is, and the variables that are its by convention. */
const CONVENTIONS: Readonly<Record<Protocol, { url: string; key: string; urlVariable: string }>> = {
  'openai-responses': {
    url: 'https://api.openai.com/v1',
    key: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
  },
  'openai-compatible': {
    url: 'https://api.openai.com/v1',
    key: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
  },
  anthropic: {
    url: 'https://api.anthropic.com',
    key: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
  },
};

/** Throws `ModelCallError`: `model.auth` where there is neither key nor address, `model.bad_request` for no URL. */
export function endpointOf(settings: EndpointSettings): Endpoint {
  const { name, protocol = 'openai-compatible', apiKey, baseUrl, headers = {} } = settings;
  const convention = CONVENTIONS[protocol];
  const { keyVariable = convention.key, urlVariable = convention.urlVariable } = settings;
  if (apiKey === undefined && baseUrl === undefined) {
    const hint = `Set ${keyVariable}, or ${urlVariable} for an endpoint that needs no key.`;
    throw new ModelCallError(FAILURE.model.auth, `No model endpoint is configured for "${name}". ${hint}`);
  }
  const url = parseBaseUrl(baseUrl ?? convention.url, urlVariable);
  const contextTokens = settings.contextTokens ?? null;
  return { name, protocol, url, apiKey, headers, contextTokens, keyVariable, urlVariable };
}

function parseBaseUrl(text: string, urlVariable: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  const message = url
    ? `${urlVariable} must begin with http:// or https:// and hold no user and password.`
    : `${urlVariable} is not a URL. Write it as in http://localhost:11434/v1.`;
  throw new ModelCallError(FAILURE.model.badRequest, message);
}
