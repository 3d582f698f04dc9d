/** Requests to the console's server. */
import { AskFault, ask, runPath, type StreamState } from '@steersman/view';

// All requests of the page go through this module. It also exports these, because a further module would be one more
// file for the first page to load.
export { AskFault, runPath };

let token = '';

export function useToken(given: string): void {
  token = given;
}

/** Longer than the console itself waits for a run. */
const MOST_MS = 60_000;

let asking = new AbortController();
/**
 * Null: the console is unreachable, so that no request may carry the token. Otherwise it resolves once the stream is
 * live.
 */
let live: Promise<void> | null = null;
let isLive = false;
let open = () => {};
wait();

/** Requests that already wait continue to wait for the same stream. */
function wait(): void {
  if (live !== null && !isLive) return;
  isLive = false;
  live = new Promise(resolve => {
    open = resolve;
  });
}

/**
 * The token is sent only while the stream is live, which the console has proved. If it is unreachable, all pending
 * requests end, because the network may not report it.
 */
export function noteState(state: StreamState): void {
  if (state === 'connecting' || (state === 'live' && live === null)) wait();
  isLive = state === 'live';
  if (isLive) open();
  if (state !== 'away' && state !== 'refused') return;
  asking.abort();
  asking = new AbortController();
  live = null;
}

export function get<T>(path: string): Promise<T> {
  return send<T>(path, {});
}

export function post<T = unknown>(path: string, body: unknown = {}): Promise<T> {
  return send<T>(path, { body });
}

async function send<T>(path: string, given: { body?: unknown }): Promise<T> {
  const signal = AbortSignal.any([asking.signal, AbortSignal.timeout(MOST_MS)]);
  await whenLive(signal);
  return ask<T>({ token }, path, { ...given, signal });
}

async function whenLive(signal: AbortSignal): Promise<void> {
  const ended = new Promise<boolean>(resolve =>
    signal.addEventListener('abort', () => resolve(false), { once: true }),
  );
  if (live !== null && (await Promise.race([live.then(() => true), ended]))) return;
  throw new AskFault({ code: 'away', message: 'The console does not answer.', remedy: '' });
}

/** Returns the id of the run, or of its agent at the path `way`. */
export function runAt(id: string, way: string): string {
  return way === '' ? id : `${id}/${way}`;
}
