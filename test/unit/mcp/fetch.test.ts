/** Pages of the web for models: where they may come from, and what is made of them. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fetchTool } from '../../../packages/workspace-tools/fetch.js';
import { httpGet, isPublic } from '../../../packages/workspace-tools/http-get.js';
import type { ToolContext } from '../../../src/mcp/tools/code-tools.js';

const HTML = { 'content-type': 'text/html' };
const PAGES: Record<string, [number, Record<string, string>, string | Buffer]> = {
  '/page': [
    200,
    HTML,
    '<html><head><meta charset="utf-8"><title>Täble</title></head><body><p>A <a href="/x?y=1">link</a></p><table><tr><th>a</th></tr><tr><td>1|2</td></tr></table><script>evil()</script></body></html>',
  ],
  '/json': [200, { 'content-type': 'application/json' }, '{"a":1}'],
  '/packed': [
    200,
    { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
    gzipSync('x'.repeat(50 << 20)),
  ],
  '/bomb': [200, HTML, '<p>a</p>'.repeat(500_000)],
  '/picture': [200, { 'content-type': 'image/png' }, Buffer.from([137, 80, 0, 1])],
  '/pdf': [200, { 'content-type': 'application/pdf' }, '%PDF-1.4 and no more'],
  '/gone': [404, { 'content-type': 'text/plain' }, 'nothing here'],
  '/round': [302, { location: '/round' }, ''],
  '/inside': [302, { location: 'http://inside.example/secret' }, ''],
  '/file': [302, { location: 'file:///etc/passwd' }, ''],
  '/cookie': [302, { location: '/seen', 'set-cookie': 'a=b' }, ''],
};
const seen: { url: string; headers: Record<string, unknown> }[] = [];
const listener: RequestListener = ({ url = '', headers }, response) => {
  seen.push({ url, headers });
  if (url === '/slow') return void response.write('x');
  const [status, more, body] = PAGES[url] ?? [200, { 'content-type': 'text/plain' }, 'seen'];
  response.writeHead(status, more).end(body);
};
const server = createServer(listener);
let host = '';
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env.STEERSMAN_FETCH_PRIVATE = host;
});
afterAll(() => {
  delete process.env.STEERSMAN_FETCH_PRIVATE;
  server.closeAllConnections();
  server.close();
});

const signal = new AbortController().signal;
const tool = fetchTool({ workspace: '/' }, 60_000);
const get = (url: string) =>
  Promise.resolve(tool.run({ url }, { signal } as ToolContext)).then(
    String,
    error => `FAILED ${error.message}`,
  );

test('fetch: a page → Markdown with whole addresses and tables, no scripts', async () => {
  expect(await get(`http://${host}/page`)).toBe(
    `http://${host}/page (text/html)\n\n# Täble\n\nA [link](http://${host}/x?y=1)\n\n| a |\n| --- |\n| 1\\|2 |`,
  );
});

test.each([
  ['/json', /^\S+ \(application\/json\)\n\n\{"a":1\}$/],
  ['/packed', /^\S+ \(text\/plain, cut\)\n\nx{200000}$/],
  ['/picture', /^FAILED \S+ is image\/png, 4 bytes: not a text\.$/],
  ['/pdf', /^FAILED The PDF cannot be read/],
  ['/gone', /^FAILED HTTP 404: nothing here$/],
  ['/round', /^FAILED .* redirected more than 5 times\.$/],
  ['/file', /^FAILED Only http and https/],
])('fetch: %s → as it is, or why not', async (path, answer) => {
  expect(await get(`http://${host}${path}`)).toMatch(answer);
});

test('fetch: a redirect with a cookie → nothing of it, and no key, is sent on', async () => {
  expect(await get(`http://${host}/cookie`)).toContain('seen');
  const { headers } = seen.at(-1) ?? { headers: {} };
  expect(Object.keys(headers).sort()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
});

test.each([
  'http://127.0.0.1:1/',
  'http://localhost:1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'data:text/plain,x',
  'http://user:word@example.com/',
  'gopher://x',
  'nothing',
])('fetch: %s → refused, nothing is sent', async url => {
  const before = seen.length;
  expect(await get(url)).toMatch(/^FAILED /);
  expect(seen.length).toBe(before);
});

test.each([
  ['1.1.1.1', true],
  ['172.15.0.1', true],
  ['172.16.0.1', false],
  ['100.64.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['2606:4700::1111', true],
  ['fd00::1', false],
  ['fe80::1', false],
  ['2002:7f00:1::', false],
  ['2001:0:1::', false],
  ['::', false],
  ['name', false],
])('fetch: the address %s → of the open internet: %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected);
});

test('fetch: a name that leads inside, also by a redirect → refused; one with a public address too → that one', async () => {
  const looked: string[] = [];
  const addressesOf = async (name: string) => {
    looked.push(name);
    return name === 'inside.example' ? ['10.0.0.1', '::1'] : [];
  };
  const ask = (url: string) => httpGet({ url, allowed: [host], signal, addressesOf });
  await expect(ask('http://inside.example/')).rejects.toThrow('private network');
  await expect(ask(`http://${host}/inside`)).rejects.toThrow('private network');
  await expect(ask('http://nowhere.example/')).rejects.toThrow('was not found');
  expect(looked).toEqual(['inside.example', 'inside.example', 'nowhere.example']);
});

test('fetch: the name answers otherwise the second time → the address that was checked is asked', async () => {
  const port = host.split(':')[1];
  let asked = 0;
  const addressesOf = async () => {
    asked += 1;
    return asked === 1 ? ['127.0.0.1'] : ['10.9.9.9'];
  };
  const name = `name.example:${port}`;
  const { status } = await httpGet({ url: `http://${name}/json`, allowed: [name], signal, addressesOf });
  expect([status, asked, seen.at(-1)?.headers.host]).toEqual([200, 1, name]);
});

test('fetch: a page that takes more memory than there is for it → said, by the same process as before', async () => {
  expect(await get(`http://${host}/bomb`)).toMatch(/^FAILED (It ended without an answer|Ended after)/);
  expect(await get(`http://${host}/page`)).toContain('# Täble');
});

test('fetch: an address of this machine that is of the open internet → refused', () => {
  const given = { netmask: '', mac: '', internal: false, cidr: null };
  const own = vi.spyOn(os, 'networkInterfaces').mockReturnValue({
    eth0: [
      { ...given, address: '1.1.1.1', family: 'IPv4' },
      { ...given, address: '2606:4700::1111', family: 'IPv6', scopeid: 0 },
    ],
  });
  expect(['1.1.1.1', '2606:4700:0::1111', '1.1.1.2'].map(isPublic)).toEqual([false, false, true]);
  own.mockRestore();
});

test('fetch: an answer that does not end → given up', async () => {
  const url = `http://${host}/slow`;
  await expect(httpGet({ url, allowed: [host], signal, timeoutMs: 300 })).rejects.toThrow('in time');
});
