/** Requests to the console's server. */
import type { FaultBody } from 'steersman/client';

/** A refusal of the server, with its message. */
export class AskFault extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor({ code, message, remedy }: FaultBody['error']) {
    super(message);
    this.code = code;
    this.remedy = remedy;
  }
}

let token = '';

export function useToken(given: string): void {
  token = given;
}

/** The console itself waits less than this for a run. */
const MOST_MS = 60_000;

let asking = new AbortController();

/** Aborts all pending requests, because the console is unreachable and the network may not report it. */
export function dropAsks(): void {
  asking.abort();
  asking = new AbortController();
}

export function get<T>(path: string): Promise<T> {
  return send<T>(path, { method: 'GET' });
}

export function post<T = unknown>(path: string, body: unknown = {}): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return send<T>(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function send<T>(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<T> {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(MOST_MS)]);
  const response = await fetch(`/api/${path}`, { ...init, headers, signal }).catch(() => null);
  if (response === null)
    throw new AskFault({ code: 'away', message: 'The console does not answer.', remedy: '' });
  const answer = (await response.json().catch(() => null)) as T & Partial<FaultBody>;
  if (response.ok) return answer;
  throw new AskFault(answer?.error ?? { code: 'internal', message: `Status ${response.status}`, remedy: '' });
}

/** Returns the API path of a run, whose id may contain slashes. */
export function runPath(id: string, rest = ''): string {
  return `runs/${encodeURIComponent(id)}/${rest}`;
}

/** Returns the id of the run, or of its agent at the path `way`. */
export function runAt(id: string, way: string): string {
  return way === '' ? id : `${id}/${way}`;
}
