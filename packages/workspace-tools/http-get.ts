/** Performs a GET request with limits for time, size and redirects, only to addresses that were checked. */

import { lookup as lookUp } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP } from 'node:net';
import os from 'node:os';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errorText } from 'steersman/base';
import { raceStop, withinTime } from 'steersman/shared';

export interface GetOptions {
  url: string;
  /** Hosts whose addresses may be private: a name, or a name with its port. */
  allowed: readonly string[];
  signal: AbortSignal;
  timeoutMs?: number;
  /** Returns every address of a name. Default: the system's resolver. */
  addressesOf?: (host: string) => Promise<readonly string[]>;
}

export interface Answer {
  /** The URL after redirects. */
  url: string;
  status: number;
  type: string;
  bytes: Buffer;
  /** True if the body was longer than the limit. */
  cut: boolean;
}

const TIMEOUT_MS = 20_000;
const MOST_BYTES = 5 << 20;
const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADERS = {
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, br, deflate',
  'user-agent': 'steersman',
};

/** @throws Error for the model: a forbidden address, or no response. */
export async function httpGet({ url, signal, timeoutMs = TIMEOUT_MS, ...how }: GetOptions): Promise<Answer> {
  const over = withinTime(timeoutMs, signal);
  let at = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const { target, address } = await during(over, checked(at, how));
    const message = await during(over, requested(target, address, over));
    const { statusCode: status = 0, headers } = message;
    if (!REDIRECTS.has(status) || headers.location === undefined) {
      const read = await during(over, body(message)).finally(() => message.destroy());
      return { url: target.href, status, type: headers['content-type'] ?? '', ...read };
    }
    message.destroy();
    if (!URL.canParse(headers.location, target.href))
      throw new Error(`${at} redirects to a text that is not an address.`);
    at = new URL(headers.location, target).href;
  }
  throw new Error(`${url} was redirected more than ${MOST_REDIRECTS} times.`);
}

/** @throws Error as soon as the time is over, even if the work does not stop. */
function during<T>(over: AbortSignal, work: Promise<T>): Promise<T> {
  return raceStop(over, work, () => {
    throw new Error('No complete answer came in time.');
  });
}

type How = Pick<GetOptions, 'allowed' | 'addressesOf'>;

/** Returns the URL, and the single checked address for the request. */
async function checked(url: string, { allowed, addressesOf = systemAddresses }: How) {
  if (!URL.canParse(url)) throw new Error(`${url} is not an address.`);
  const target = new URL(url);
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw new Error('Only http and https can be fetched.');
  if (target.username !== '' || target.password !== '')
    throw new Error('An address that contains a user name or a password is not fetched.');
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await addressesOf(host);
  const isAllowed = allowed.includes(target.host) || allowed.includes(target.hostname);
  const address = addresses.find(each => isAllowed || isPublic(each));
  if (address !== undefined) return { target, address };
  throw new Error(
    addresses.length === 0
      ? `${host} was not found.`
      : `${host} is an address of this machine or a private network: it is not fetched unless STEERSMAN_FETCH_PRIVATE names it.`,
  );
}

async function systemAddresses(host: string): Promise<string[]> {
  const found = await lookUp(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** Special-purpose IPv4 networks of the IANA registries, which are not public. */
const CLOSED = new BlockList();
for (const net of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap(line => line.split(' '))) {
  const [address = '', prefix] = net.split('/');
  CLOSED.addSubnet(address, Number(prefix), 'ipv4');
}
/** Only these IPv6 networks are public, except those that embed an IPv4 address or are for documentation. */
const OPEN = new BlockList();
OPEN.addSubnet('2000::', 3, 'ipv6');
CLOSED.addSubnet('2001::', 23, 'ipv6');
CLOSED.addSubnet('2001:db8::', 32, 'ipv6');
CLOSED.addSubnet('2002::', 16, 'ipv6');
CLOSED.addSubnet('3fff::', 20, 'ipv6');

export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !CLOSED.check(address, 'ipv4') && !ownAddresses().check(address, 'ipv4');
  if (version !== 6 || !OPEN.check(address, 'ipv6')) return false;
  return !CLOSED.check(address, 'ipv6') && !ownAddresses().check(address, 'ipv6');
}

/** Returns addresses of this machine, even public ones: services on it may trust local requests. */
function ownAddresses(): BlockList {
  const own = new BlockList();
  for (const { address, family } of Object.values(os.networkInterfaces()).flatMap(all => all ?? [])) {
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return own;
}

/** Connects to the checked address: a second lookup of the name could return another one. */
function requested(target: URL, address: string, signal: AbortSignal): Promise<IncomingMessage> {
  const secure = target.protocol === 'https:';
  const name = isIP(target.hostname.replace(/^\[|\]$/g, '')) ? {} : { servername: target.hostname };
  return new Promise((resolve, reject) => {
    const ask = secure ? requestHttps : requestHttp;
    const asked = ask({
      host: address,
      port: target.port || (secure ? 443 : 80),
      path: target.pathname + target.search,
      headers: { host: target.host, ...HEADERS },
      agent: false,
      signal,
      ...(secure && name),
    });
    asked.once('response', resolve);
    asked.on('error', error => reject(new Error(`${target.host} gave no answer: ${errorText(error)}`)));
    asked.end();
  });
}

function unpacked(message: IncomingMessage): Readable {
  const encoding = message.headers['content-encoding']?.toLowerCase();
  const through =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : encoding === 'deflate'
          ? createInflate()
          : null;
  if (through === null) return message;
  message.once('error', error => through.destroy(error));
  return message.pipe(through);
}

/** Counts the decompressed bytes: a small response can expand to a huge one. */
async function body(message: IncomingMessage): Promise<Pick<Answer, 'bytes' | 'cut'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of unpacked(message) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_BYTES) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MOST_BYTES), cut: size > MOST_BYTES };
}
