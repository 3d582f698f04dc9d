/** Decides which requests our HTTP servers accept, and keeps a failing request from ending the process. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isLoopback } from '../local/loopback.js';

export interface Guard {
  /** True if the server only listens on this machine's loopback address. */
  loopback: boolean;
  /** The bearer token that clients must send; null if no token is required. */
  token: string | null;
}

export interface Refusal {
  status: 401 | 403;
  message: string;
}

/** Values of `Sec-Fetch-Site` that a browser sends for a server's own page and for a person's own navigation. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/**
 * Returns why a request is refused; null if it is accepted. A web page in a browser on this machine can send requests
 * here, even under a host name that it made resolve to this machine; the browser's headers reveal that. A different
 * port is a different origin. A link that a person follows counts as their own request.
 */
export function refusal(headers: IncomingHttpHeaders, { loopback, token }: Guard): Refusal | null {
  const host = urlOf(`http://${headers.host ?? ''}`)?.hostname;
  if (host === undefined || (loopback && !isLoopback(host)))
    return { status: 403, message: 'The Host header names another machine.' };
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host ?? '', loopback))
    return { status: 403, message: 'Requests of other web pages are refused (Origin header).' };
  if (!OWN_SITES.includes(headers['sec-fetch-site']) && headers['sec-fetch-mode'] !== 'navigate')
    return { status: 403, message: 'Requests of other web pages are refused (Sec-Fetch-Site header).' };
  if (token !== null && !isSame(headers.authorization ?? '', `Bearer ${token}`))
    return { status: 401, message: 'The bearer token is missing or wrong.' };
  return null;
}

/** A server for other machines may be behind a proxy with TLS, so https is accepted too. */
function isOwnOrigin(origin: string, host: string, loopback: boolean): boolean {
  const schemes = loopback ? ['http'] : ['http', 'https'];
  return schemes.some(scheme => urlOf(`${scheme}://${host}`)?.origin === origin);
}

function urlOf(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null;
}

/** Returns the path of a request; its raw URL if it is not a path, such as `//`, which browsers can send. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  return urlOf(url, 'http://here')?.pathname ?? url;
}

/**
 * Returns a listener that passes every error of a request, thrown or rejected, to `fail`. If `fail` throws or the
 * answer has begun, the connection is closed. The process never ends.
 */
export function caught(
  handle: (req: IncomingMessage, res: ServerResponse) => unknown,
  fail: (res: ServerResponse, error: unknown, req: IncomingMessage) => void,
): RequestListener {
  return (req, res) => {
    void (async () => handle(req, res))()
      .catch((error: unknown) => {
        if (res.headersSent) throw error;
        fail(res, error, req);
      })
      .catch(() => void res.destroy());
  };
}

/** Compares in constant time. */
export function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
