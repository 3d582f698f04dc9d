/**
 * How the SDK reaches an endpoint: within its origin, and with error answers of a bounded size in the one form
 * that the SDK reads, `{ "error": { "message" } }`, whatever an endpoint sends.
 */
import { fetchSameOrigin } from '../../shared/http/same-origin-fetch.js';
import { errorOfBody } from '../refusals/error-body.js';
import { readText } from '../reply/event-stream.js';
import { REPLY_BOUNDS } from '../reply/reply-bounds.js';

/** The fetch of a provider's SDK client. Answers that are no JSON are left as they are. */
export async function fetchFromEndpoint(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  if (input instanceof Request) throw new TypeError('the SDK gives addresses, not requests');
  const response = await fetchSameOrigin(input, init);
  if (response.ok) return response;
  // The status says what is wrong, also where the body can't be read.
  const text = await readText(response.body, REPLY_BOUNDS.errorBytes).catch(() => '');
  const { status, statusText } = response;
  // Written anew, the body has neither its length nor its encoding.
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  headers.delete('content-encoding');
  // Such an answer has none, and is not made with one.
  const body = status === 304 ? null : (plainBody(text) ?? text);
  return new Response(body, { status, statusText, headers });
}

const SDK_HEADERS = /^(accept|authorization|content-type|user-agent|anthropic-version|x-stainless-.*)$/i;

/**
 * The same, with no header but these and what an SDK says of itself: SDKs take headers from the environment
 * (OPENAI_CUSTOM_HEADERS, ANTHROPIC_CUSTOM_HEADERS), which may be meant for another address. `Authorization` has to
 * be among `own`, or the environment's stands in its place.
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
