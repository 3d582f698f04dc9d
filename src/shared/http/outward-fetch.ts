/**
 * The fetch for all outgoing requests (FE8). It uses the proxy of the environment and has no time limits of its own,
 * only the caller's signal. Node's own fetch would end an answer that does not begin within 300 s.
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
    // The cast is safe: undici's classes are those of Node's own fetch, from another copy of the same library.
    return (await undiciFetch(url, request)) as unknown as Response;
  },
};

const NO_LIMITS = { headersTimeout: 0, bodyTimeout: 0 };

let known: { of: string; dispatcher: Dispatcher } | null = null;

/** Returns one dispatcher for all requests, with its connections; a new one if the environment's proxies have changed. */
function dispatcher(): Dispatcher {
  const proxies = env.proxies();
  const of = JSON.stringify(proxies);
  if (known?.of !== of) known = { of, dispatcher: newDispatcher(proxies) };
  return known.dispatcher;
}

function newDispatcher({ http, https, none }: ReturnType<typeof env.proxies>): Dispatcher {
  if (http === undefined && https === undefined) return new Agent(NO_LIMITS);
  // All three are set, because the agent would otherwise read them from the environment itself.
  return new EnvHttpProxyAgent({
    ...NO_LIMITS,
    httpProxy: proxyUrl(http),
    httpsProxy: proxyUrl(https),
    noProxy: none ?? '',
    // Like curl, it only opens a tunnel for https, as proxies expect.
    proxyTunnel: false,
  });
}

/** Adds the scheme to addresses that are written without one, such as `proxy.example:8080`. */
function proxyUrl(given: string | undefined): string {
  return given === undefined || given.includes('://') ? (given ?? '') : `http://${given}`;
}
