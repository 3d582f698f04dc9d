/** Checks who may send requests to the console, and the form of writes. The order of the checks matters. */
import { HTTPException } from 'hono/http-exception';
import { MAX_JSON_DEPTH, nestsTooDeep, parseJson } from 'steersman/base';
import { SteersmanError } from 'steersman/client';

const MOST_BYTES = 1_000_000;
/** A longer write is read to its end, up to this size: else the connection could take no further request (WB16). */
const MOST_READ_BYTES = 32_000_000;
/** The depth of a run's data, and of the request around it. */
const DEEPEST = MAX_JSON_DEPTH + 16;

export interface Guard {
  /** Accepted values of the Host header; null: the server that mounts the console has checked it. */
  hosts: readonly string[] | null;
  /** Returns true for a valid token; null: the server that mounts the console has authenticated the user. */
  knows: ((token: string) => boolean) | null;
  /** True for the page and its files, which have no data of runs. */
  isOpen: boolean;
}

/** The status and reason of a refused request. */
export interface Refusal {
  status: 401 | 403 | 415 | 421;
  message: string;
}

/**
 * Checks Host, Origin, token, then the form of a write. Pages of another site, or of another port of this machine, can
 * send requests here: Host and Origin reveal them, and they lack the token, which only our page has.
 */
export function refusalOf(request: Request, { hosts, knows, isOpen }: Guard): Refusal | null {
  // The request's URL is the page's own behind your server.
  const host = request.headers.get('host') ?? new URL(request.url).host;
  if (hosts !== null && !hosts.includes(host))
    return { status: 421, message: 'The Host header names another server.' };
  const origin = request.headers.get('origin');
  if (origin !== null && originHost(origin) !== host)
    return { status: 403, message: 'Requests of other web pages are refused (Origin header).' };
  const site = request.headers.get('sec-fetch-site');
  if ((site === 'cross-site' || site === 'same-site') && !(isOpen && opensPage(request)))
    return { status: 403, message: 'Requests of other web pages are refused (Sec-Fetch-Site header).' };
  if (!isOpen && knows !== null && !knows(bearerOf(request)))
    return { status: 401, message: 'The token is missing or is not known: open a new link.' };
  return writeRefusal(request);
}

/** True for a link that a person follows, from any page or by a login's redirect: following it has no effect (WB12). */
function opensPage({ method, headers }: Request): boolean {
  const isWhole =
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document';
  return method === 'GET' && isWhole;
}

/** Returns a browser's Host header for a server, which omits the port of HTTP. */
export function hostHeader(name: string, port: number): string {
  return port === 80 ? name : `${name}:${port}`;
}

/** A write must be JSON: another page can send only forms and plain text. */
function writeRefusal(request: Request): Refusal | null {
  if (request.method === 'GET' || request.method === 'HEAD') return null;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  return type === 'application/json'
    ? null
    : { status: 415, message: 'A request that changes something must be JSON (Content-Type).' };
}

/** Reads the JSON of a write. @throws if it is not JSON, or is longer than allowed, independent of its length header. */
export async function jsonOf(request: Request): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body ?? []) {
    bytes += part.byteLength;
    if (bytes <= MOST_BYTES) parts.push(part);
    else if (bytes > MOST_READ_BYTES) break;
  }
  if (bytes > MOST_BYTES)
    throw new HTTPException(413, { message: 'A request that changes something may have 1 MB at most.' });
  const text = Buffer.concat(parts).toString('utf8');
  if (nestsTooDeep(text, DEEPEST))
    throw new SteersmanError('The JSON of the body nests too deeply.', '', 'usage');
  const value = parseJson(text);
  if (value === undefined) throw new SteersmanError('The body is not JSON.', '', 'usage');
  return value;
}

function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

export function bearerOf(request: Request): string {
  return /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
}
