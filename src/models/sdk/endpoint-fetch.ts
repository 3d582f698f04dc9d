/**
 * Restricts how the SDK reaches an endpoint. Requests stay within its origin; error answers have a bounded size and the
 * one form that the SDK reads, `{ "error": { "message" } }`.
 */
import { fetchSameOrigin } from '../../shared/http/same-origin-fetch.js';
import { errorOfBody } from '../refusals/error-body.js';
import { readText } from '../reply/event-stream.js';
import { REPLY_BOUNDS } from '../reply/reply-bounds.js';

/** The `fetch` of a provider's SDK client. Error answers that are not JSON are passed on unchanged. */
export async function fetchFromEndpoint(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  if (input instanceof Request) throw new TypeError('the SDK gives addresses, not requests');
  const response = await fetchSameOrigin(input, init);
  if (response.ok) return response;
  // The status alone is informative even if the body can't be read.
  const text = await readText(response.body, REPLY_BOUNDS.errorBytes).catch(() => '');
  const { status, statusText } = response;
  // The rewritten body has another length and no encoding.
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  headers.delete('content-encoding');
  // A 304 must not have a body: the Response constructor would throw.
  const body = status === 304 ? null : (plainBody(text) ?? text);
  return new Response(body, { status, statusText, headers });
}

const SDK_HEADERS = /^(accept|authorization|content-type|user-agent|anthropic-version|x-stainless-.*)$/i;

/**
 * Returns the same fetch, but it only sends the headers in `own` and those that the SDK itself sets. SDKs also read
 * headers from the environment (OPENAI_CUSTOM_HEADERS, ANTHROPIC_CUSTOM_HEADERS), which may be meant for another
 * address. `own` must include `Authorization`, because otherwise the environment's value would be sent.
 */
export function fetchWithOnly(own: readonly string[]): typeof fetchFromEndpoint {
  const known = new Set(own.map(name => name.toLowerCase()));
  return (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of [...headers.keys()]) {
      if (!known.has(name) && !SDK_HEADERS.test(name)) headers.delete(name);
    }
    return fetchFromEndpoint(input, { ...init, headers });
  };
}

function plainBody(text: string): string | null {
  const error = errorOfBody(text);
  return error && JSON.stringify({ error });
}
