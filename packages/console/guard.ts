/** Who may ask the console, and what a write may be. The order of the checks is part of the rule. */
import { HTTPException } from 'hono/http-exception';
import { MAX_JSON_DEPTH, nestsTooDeep, parseJson } from 'steersman/base';
import { SteersmanError } from 'steersman/client';

const MOST_BYTES = 1_000_000;
/** Data of a run, and what is around it. */
const DEEPEST = MAX_JSON_DEPTH + 16;

export interface Guard {
  /** Values of the Host header that are ours; null: whoever mounts the console has looked at it. */
  hosts: readonly string[] | null;
  /** Whether the bearer of the token may come in; null: whoever mounts the console has asked who it is. */
  knows: ((token: string) => boolean) | null;
}

/** Why a request is refused. */
export interface Refusal {
  status: 401 | 403 | 415 | 421;
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
  return type === 'application/json' ? null : { status: 415, message: 'A write is JSON (Content-Type).' };
}

/** The JSON of a write. @throws where it is none, or is over a bound, whatever its length was said to be. */
export async function jsonOf(request: Request): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body ?? []) {
    bytes += part.byteLength;
    if (bytes > MOST_BYTES) throw new HTTPException(413, { message: 'A write has at most 1 MB.' });
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString('utf8');
  if (nestsTooDeep(text, DEEPEST)) throw new SteersmanError('The body nests too deep.', '', 'usage');
  const value = parseJson(text);
  if (value === undefined) throw new SteersmanError('The body is no JSON.', '', 'usage');
  return value;
}

function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function bearerOf(request: Request): string {
  return /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
}
