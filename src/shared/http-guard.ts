/** Who may ask an HTTP server of ours, and that no request ends it. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface Guard {
  /** It listens on this machine's own address alone. */
  loopback: boolean;
  /** What clients have to show; null: nothing. */
  token: string | null;
}

export interface Refusal {
  status: 401 | 403;
  message: string;
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** What a browser says of requests of a server's own page, and of a person. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/**
 * Why a request is refused; null where it may come in. A web page that a browser of this machine shows can send
 * requests here, also under a name that it made point to this machine: what the browser says of it gives it away.
 * A page of another port of this machine is another page. A link that a person follows is their own request.
 */
export function refusal(headers: IncomingHttpHeaders, { loopback, token }: Guard): Refusal | null {
  const host = urlOf(`http://${headers.host ?? ''}`)?.hostname;
  if (host === undefined || (loopback && !LOOPBACK_NAMES.includes(host)))
    return { status: 403, message: 'The Host header names another machine.' };
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host ?? '', loopback))
    return { status: 403, message: 'Requests of other web pages are refused (Origin header).' };
  if (!OWN_SITES.includes(headers['sec-fetch-site']) && headers['sec-fetch-mode'] !== 'navigate')
    return { status: 403, message: 'Requests of other web pages are refused (Sec-Fetch-Site header).' };
  if (token !== null && !isSame(headers.authorization ?? '', `Bearer ${token}`))
    return { status: 401, message: 'The bearer token is missing or wrong.' };
  return null;
}

/** A proxy in front of a server for other machines may speak TLS. */
function isOwnOrigin(origin: string, host: string, loopback: boolean): boolean {
  const schemes = loopback ? ['http'] : ['http', 'https'];
  return schemes.some(scheme => urlOf(`${scheme}://${host}`)?.origin === origin);
}

function urlOf(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null;
}

/** The path of a request: a browser can send what is no path, such as `//`. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  return urlOf(url, 'http://here')?.pathname ?? url;
}

/**
 * A listener that whatever its request throws comes to `fail`, at once or later; where that throws, or the answer has
 * begun, the connection ends, and never the process.
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

/** Takes the same time wherever they differ. */
export function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
