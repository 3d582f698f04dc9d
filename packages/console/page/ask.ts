/** Requests to the console's server. */
import { AskFault, ask, runPath } from '@steersman/view';

// One module of the page for all requests: each split costs what its first page loads.
export { AskFault, runPath };

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
  return ask<T>({ token }, path, { signal: inTime() });
}

export function post<T = unknown>(path: string, body: unknown = {}): Promise<T> {
  return ask<T>({ token }, path, { body, signal: inTime() });
}

function inTime(): AbortSignal {
  return AbortSignal.any([asking.signal, AbortSignal.timeout(MOST_MS)]);
}

/** Returns the id of the run, or of its agent at the path `way`. */
export function runAt(id: string, way: string): string {
  return way === '' ? id : `${id}/${way}`;
}
