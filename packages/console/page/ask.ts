/** Questions to the console's server. */
import type { Fault } from '../api.js';

/** What the server refused, in its own words. */
export class AskFault extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor({ code, message, remedy }: Fault['error']) {
    super(message);
    this.code = code;
    this.remedy = remedy;
  }
}

let token = '';

export function useToken(given: string): void {
  token = given;
}

/** The console itself waits for a run for less. */
const MOST_MS = 60_000;

let asking = new AbortController();

/** The console is away: nobody answers what was asked, however silent the network is about it. */
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
  const answer = (await response.json().catch(() => null)) as T & Partial<Fault>;
  if (response.ok) return answer;
  throw new AskFault(answer?.error ?? { code: 'internal', message: `Status ${response.status}`, remedy: '' });
}

/** The path of a run, whose id may have slashes. */
export function runPath(id: string, rest = ''): string {
  return `runs/${encodeURIComponent(id)}/${rest}`;
}

/** The run itself, or an agent of it by the way to that. */
export function runAt(id: string, way: string): string {
  return way === '' ? id : `${id}/${way}`;
}
