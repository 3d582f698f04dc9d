/** Who may ask the console, and how large a request may be. The order of the checks is part of the rule. */
const MOST_BYTES = 1_000_000;

export interface Guard {
  /** Values of the Host header that are ours; null: whoever mounts the console has looked at it. */
  hosts: readonly string[] | null;
  /** Whether the bearer of the token may come in; null: whoever mounts the console has asked who it is. */
  knows: ((token: string) => boolean) | null;
}

/** Why a request is refused. */
export interface Refusal {
  status: 401 | 403 | 413 | 415 | 421;
  message: string;
}

/**
 * Host, Origin, token, then the form of a write. A page of another site, or of another port of this machine, can send
 * requests here: Host and Origin give it away, and without the token, which only our page has, nothing is answered.
 */
export function refusalOf(request: Request, guard: Guard): Refusal | null {
  // Behind a server of yours the address of the request is that of the page.
  const host = request.headers.get('host') ?? new URL(request.url).host;
  if (guard.hosts !== null && !guard.hosts.includes(host))
    return { status: 421, message: 'The Host header names another server.' };
  const origin = request.headers.get('origin');
  if (origin !== null && originHost(origin) !== host)
    return { status: 403, message: 'Requests of other web pages are refused (Origin header).' };
  const site = request.headers.get('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site')
    return { status: 403, message: 'Requests of other web pages are refused (Sec-Fetch-Site header).' };
  if (guard.knows !== null && !guard.knows(bearerOf(request)))
    return { status: 401, message: 'The token is missing or is not known: open a new link.' };
  return writeRefusal(request);
}

/** What a browser says of a server in the Host header: the port of HTTP is left out. */
export function hostHeader(name: string, port: number): string {
  return port === 80 ? name : `${name}:${port}`;
}

/** A write is JSON: no form and no plain text of another page can be one. */
function writeRefusal(request: Request): Refusal | null {
  if (request.method === 'GET' || request.method === 'HEAD') return null;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return { status: 415, message: 'A write is JSON (Content-Type).' };
  const bytes = Number(request.headers.get('content-length') ?? 0);
  return bytes > MOST_BYTES ? { status: 413, message: new TooLarge().message } : null;
}

export class TooLarge extends Error {
  constructor() {
    super('A write has at most 1 MB.');
  }
}

/** The body as text. @throws TooLarge where it is over the bound, whatever its length was said to be. */
export async function bodyOf(request: Request): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MOST_BYTES) throw new TooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function bearerOf(request: Request): string {
  return /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
}
