/** A fetch that never forwards a request, with its headers and body, to another host (TR9). */
import { outward } from './outward-fetch.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/** A server redirected a request to a forbidden place. */
export class RedirectRefusedError extends Error {
  override readonly name = 'RedirectRefusedError';

  /** `to` is the new address in a form that may be shown. */
  constructor(to: string, why: string) {
    super(`it redirects to ${to}, ${why}`);
  }
}

/**
 * Like `fetch`, but redirects are only followed within the origin of `url`, and only if they keep the method.
 * @throws RedirectRefusedError
 */
export async function fetchSameOrigin(url: string | URL, init: RequestInit = {}): Promise<Response> {
  let at = new URL(url);
  const { origin } = at;
  const method = init.method?.toUpperCase() ?? 'GET';
  for (let redirects = 0; ; redirects++) {
    const response = await outward.fetch(at, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    at = targetOf(location, at);
    if (at.origin !== origin) {
      throw new RedirectRefusedError(
        at.origin,
        'another address, and requests with their keys are not sent on',
      );
    }
    if (method !== 'GET' && response.status < 307) {
      throw new RedirectRefusedError(shown(at), 'which would lose the request');
    }
    if (redirects >= MAX_REDIRECTS)
      throw new RedirectRefusedError(shown(at), `after ${MAX_REDIRECTS} redirects already`);
  }
}

/** Omits the query, because it may hold a token. */
function shown({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function targetOf(location: string, base: URL): URL {
  if (URL.canParse(location, base.href)) return new URL(location, base);
  throw new RedirectRefusedError('a text that is not an address', 'which cannot be followed');
}
