/** One GET, bounded in time, size and redirects, to addresses that were checked and to no others. */

import { lookup as lookUp } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP } from 'node:net';
import os from 'node:os';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errorText } from 'steersman/base';
import { withinTime } from 'steersman/shared';

export interface GetOptions {
  url: string;
  /** Hosts whose addresses may be private: a name, or one with its port. */
  allowed: readonly string[];
  signal: AbortSignal;
  timeoutMs?: number;
  /** Every address of a name. Default: the system's. */
  addressesOf?: (host: string) => Promise<readonly string[]>;
}

export interface Answer {
  /** After redirects. */
  url: string;
  status: number;
  type: string;
  bytes: Buffer;
  /** There was more than is read. */
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

/** @throws Error for the model: an address that may not be asked, or that gives no answer. */
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
    if (!URL.canParse(headers.location, target.href)) throw new Error(`${at} leads to no address.`);
    at = new URL(headers.location, target).href;
  }
  throw new Error(`${url} was redirected more than ${MOST_REDIRECTS} times.`);
}

/** @throws Error as soon as time is over, whatever the work does. */
async function during<T>(over: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error('There was no whole answer in time.'));
    over.addEventListener('abort', stop);
    if (over.aborted) stop();
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    over.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}

type How = Pick<GetOptions, 'allowed' | 'addressesOf'>;

/** What to ask, and the one address to which it goes. */
async function checked(url: string, { allowed, addressesOf = systemAddresses }: How) {
  if (!URL.canParse(url)) throw new Error(`${url} is no address.`);
  const target = new URL(url);
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw new Error('Only http and https can be fetched.');
  if (target.username !== '' || target.password !== '')
    throw new Error('An address with a name or password in it is not fetched.');
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

/** What is not of the open internet, as the registries of special addresses list it. */
const CLOSED = new BlockList();
for (const net of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap(line => line.split(' '))) {
  const [address = '', prefix] = net.split('/');
  CLOSED.addSubnet(address, Number(prefix), 'ipv4');
}
/** Of IPv6 only these are of the open internet, without those that carry an address of IPv4, or are for examples. */
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

/** Of this machine, which may be of the open internet: what listens there trusts who asks from here. */
function ownAddresses(): BlockList {
  const own = new BlockList();
  for (const { address, family } of Object.values(os.networkInterfaces()).flatMap(all => all ?? [])) {
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return own;
}

/** The name is not looked up again: it could lead elsewhere the second time. */
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

/** Counted as it comes out: a small answer may be packed from a huge one. */
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
