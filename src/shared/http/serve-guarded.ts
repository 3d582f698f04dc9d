/** Serves a user interface over HTTP: to this machine alone, or to clients that have a token. */
import { createServer, type RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { isLoopback } from '../local/loopback.js';
import { type FaultBody, SteersmanError } from '../process/errors.js';
import { refusal } from './http-guard.js';
import { type Listening, listenOn } from './listen.js';

/** Answers a request, such as `fetch` of a Hono app, whose environment then has Node's `incoming` and `outgoing`. */
export type Fetch = Parameters<typeof getRequestListener>[0];

export interface GuardedOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** The bearer token that clients must send; null: none, which needs a `host` that is a loopback address. */
  token: string | null;
  /** The environment variable that has the token, for errors. */
  variable: string;
  /** Makes the answer to a refused request. Default: the status, with a `FaultBody` of the code `refused`. */
  refuse?: (status: number, message: string) => Response;
}

export interface Guarded extends Omit<Listening, 'port'> {
  /** The server's address, without a path and without a slash at its end. */
  url: string;
}

/**
 * Serves `fetch` with a guard before it: see `refusal`.
 * @throws SteersmanError if it can't listen, or would serve other machines without a token.
 */
export async function serveGuarded(fetch: Fetch, options: GuardedOptions): Promise<Guarded> {
  const { host, port, token, variable, refuse = refused } = options;
  const loopback = isLoopback(host);
  if (!loopback && token === null)
    throw new SteersmanError(
      `Anyone who can reach ${host} could start and steer runs: a token is needed.`,
      `Set ${variable} to a long random text that clients send as a bearer token, or listen on 127.0.0.1.`,
    );
  const http = createServer(
    listenerOf((request, env) => {
      const wrong = refusal(env.incoming.headers, { loopback, token });
      return wrong ? refuse(wrong.status, wrong.message) : fetch(request, env);
    }),
  );
  const remedy = 'Give another port: 0 takes any.';
  const listening = await listenOn(http, { host, ports: [port], remedy });
  return { ...listening, url: `http://${urlHost(host)}:${listening.port}` };
}

/** Returns a listener for Node's servers, which does not change the program's globals. */
export function listenerOf(fetch: Fetch): RequestListener {
  return getRequestListener(fetch, { overrideGlobalObjects: false });
}

/** Returns an address in the form of URLs: IPv6 in brackets. */
export function urlHost(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}

function refused(status: number, message: string): Response {
  const body: FaultBody = { error: { code: 'refused', message, remedy: '' } };
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...challenge } });
}
