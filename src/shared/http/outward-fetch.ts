/**
 * The fetch of all that goes out from here (FE8): through the proxy of the environment, and without limits of time of its
 * own. Node's ends an answer that does not begin within 300 s, whatever a caller allows; callers' signals end these.
 */
import {
  Agent,
  type Dispatcher,
  EnvHttpProxyAgent,
  type RequestInit as OutwardInit,
  fetch as undiciFetch,
} from 'undici';
import { env } from '../process/env.js';

export const outward: { fetch(url: string | URL, init?: RequestInit): Promise<Response> } = {
  async fetch(url, init) {
    const request = { ...init, dispatcher: dispatcher() } as OutwardInit;
    // Its classes are those of Node's own fetch, of another copy of the same library.
    return (await undiciFetch(url, request)) as unknown as Response;
  },
};

const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0 };

let known: { of: string; dispatcher: Dispatcher } | null = null;

/** One for all, with its connections; another when the environment has another proxy. */
function dispatcher(): Dispatcher {
  const proxies = env.proxies();
  const of = JSON.stringify(proxies);
  if (known?.of !== of) known = { of, dispatcher: newDispatcher(proxies) };
  return known.dispatcher;
}

function newDispatcher({ http, https, none }: ReturnType<typeof env.proxies>): Dispatcher {
  if (http === undefined && https === undefined) return new Agent(NO_LIMITS);
  // Named all three, or it would read them from the environment itself.
  return new EnvHttpProxyAgent({
    ...NO_LIMITS,
    httpProxy: proxyUrl(http),
    httpsProxy: proxyUrl(https),
    noProxy: none ?? '',
    // As proxies know it of curl: a tunnel for https alone.
    proxyTunnel: false,
  });
}

/** `proxy.example:8080` is written without a scheme too. */
function proxyUrl(given: string | undefined): string {
  return given === undefined || given.includes('://') ? (given ?? '') : `http://${given}`;
}
