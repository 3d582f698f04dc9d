/** Who is refused by the console, before anything is looked at. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createConsole } from '../../../packages/console/console.js';
import { hostHeader } from '../../../packages/console/guard.js';
import { digestOf, proofBy } from '../../../packages/console/proof.js';
import { serveConsole } from '../../../packages/console/serve.js';
import type { SteersmanClient } from '../../../src/client/index.js';
import { listenOn } from '../../../src/shared/http/listen.js';
import { listenerOf } from '../../../src/shared/http/serve-guarded.js';
import { fakeRuns } from '../../support/fake-runs.js';

const HOST = '127.0.0.1:7418';
const TOKEN = 'a-token-that-is-known';

const nobody = () => Promise.reject<SteersmanClient>(new Error('Temporal was asked'));
const guarded = createConsole({
  client: nobody,
  hosts: [HOST],
  knows: token => token === TOKEN,
  redeem: word => (word === 'once' ? TOKEN : null),
  prove: (id, challenge) => proofBy([digestOf(TOKEN)], id, challenge),
});

interface Asked {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function ask({ path = '/api/runs', method = 'GET', headers = {}, body }: Asked) {
  const own = { host: HOST, authorization: `Bearer ${TOKEN}`, ...headers };
  const given = Object.entries(own).filter(([, value]) => value !== '');
  const response = await guarded.fetch(
    new Request(`http://here${path}`, {
      method,
      headers: given as [string, string][],
      ...(body !== undefined && { body }),
    }),
  );
  return { status: response.status, text: await response.text() };
}

const write = { path: '/api/runs/r/steer', method: 'POST', body: '{"text":"hello"}' };
const answer = { ...write, path: '/api/runs/r/answer' };
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const json = { 'content-type': 'application/json' };
const door = { method: 'POST', headers: { ...json, authorization: '' }, body: '{}' };

test.each<[string, Asked, number]>([
  ['another Host, as after DNS rebinding', { headers: { host: 'evil.example:7418' } }, 421],
  ['our name at another port', { headers: { host: '127.0.0.1:7419' } }, 421],
  ['another Host for the page itself', { path: '/', headers: { host: 'evil.example' } }, 421],
  ['a foreign Origin', { headers: { origin: 'https://evil.example' } }, 403],
  ['the Origin null, of a sandboxed frame or a file', { headers: { origin: 'null' } }, 403],
  ['a page on another port of this machine', { headers: { origin: 'http://127.0.0.1:3000' } }, 403],
  ['a request of another site without an Origin', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
  ['a request of another port without an Origin', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
  ['no token', { headers: { authorization: '' } }, 401],
  ['another token', { headers: { authorization: 'Bearer nope' } }, 401],
  ['a token in the query', { path: `/api/runs?token=${TOKEN}`, headers: { authorization: '' } }, 401],
  ['a token in a cookie', { headers: { authorization: '', cookie: `token=${TOKEN}` } }, 401],
  ['the own Origin without a token', { headers: { origin: `http://${HOST}`, authorization: '' } }, 401],
  ['AG-UI without a token', { ...door, path: '/ag-ui' }, 401],
  ['a chat without a token', { ...door, path: '/chat' }, 401],
  ['a chat that goes on, without a token', { path: '/chat/t/stream', headers: { authorization: '' } }, 401],
  ['a write as plain text', { ...write, headers: { 'content-type': 'text/plain' } }, 415],
  ['a write as a form', { ...write, headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
  ['a write without a type', { ...write, headers: { 'content-type': '' } }, 415],
  ['a write of more than 1 MB', { ...write, headers: json, body: `"${'x'.repeat(1_000_001)}"` }, 413],
  [
    'a link of nobody',
    { path: '/api/session', method: 'POST', headers: { ...json, authorization: '' }, body: '{"link":"no"}' },
    401,
  ],
  ['a path that is none', { path: '/api/__proto__' }, 404],
  ['a path that goes on', { path: '/api/about/%E0%A4%A' }, 404],
  ['a body that is no JSON', { ...write, headers: json, body: '{' }, 400],
  ['a body of another form', { ...write, headers: json, body: '{"text":7}' }, 400],
  ['a body that nests deeper than JSON is walked', { ...write, headers: json, body: nested(500_000) }, 400],
  ['one that is an answer', { ...answer, headers: json, body: `{"gateId":"g1","x":${nested(200)}}` }, 400],
  ['a method that is no write', { method: 'PUT', headers: json, body: '{}' }, 404],
  ['one that takes away', { path: '/api/runs/r', method: 'DELETE', headers: json }, 404],
  ['a limit that is no number', { path: '/api/runs?limit=many' }, 400],
  ['a limit below one', { path: '/api/sessions?limit=-1' }, 400],
  ['a beginning that is no number', { path: '/api/runs/r/events?since=x' }, 400],
  ['a page that is not there', { path: '/../../package.json' }, 404],
])('guard: %s → refused', async (_what, asked, status) => {
  const answer = await ask(asked);
  expect(answer.status).toBe(status);
  expect(answer.text).not.toContain('Temporal was asked');
});

test.each([
  ['127.0.0.1', 7_418, '127.0.0.1:7418'],
  ['127.0.0.1', 80, '127.0.0.1'],
  ['[::1]', 8_080, '[::1]:8080'],
])('guard: %s at port %d → browsers send the Host %s', (name, port, host) => {
  expect(hostHeader(name, port)).toBe(host);
});

test('guard: the own page with the token → goes on to the client', async () => {
  expect(await ask({ headers: { origin: `http://${HOST}` } })).toMatchObject({ status: 500 });
  expect((await ask({})).text).toContain('Temporal was asked');
});

test('guard: a link → a token, without one before', async () => {
  const link = { path: '/api/session', method: 'POST', headers: { ...json, authorization: '' } };
  expect(await ask({ ...link, body: '{"link":"once"}' })).toEqual({
    status: 200,
    text: `{"token":"${TOKEN}"}`,
  });
});

test('guard: behind a login of ones own → neither Host nor token is asked for, Origin is', async () => {
  const mounted = createConsole({ client: nobody });
  const at = (headers: Record<string, string>) =>
    mounted.fetch(new Request('https://runs.example/api/runs', { headers })).then(({ status }) => status);
  expect(await at({ host: 'runs.example' })).toBe(500);
  expect(await at({ host: 'runs.example', origin: 'https://runs.example' })).toBe(500);
  expect(await at({ host: 'runs.example', origin: 'https://evil.example' })).toBe(403);
});

test('WB18 guard: a page asks for a proof → of the token that it means, for this Host alone, without the token', async () => {
  const id = digestOf(digestOf(TOKEN));
  const asked = { path: `/api/proof?id=${id}&nonce=n`, headers: { authorization: '' } };
  const proof = proofBy([digestOf(TOKEN)], id, `n ${HOST}`);
  expect(await ask(asked)).toEqual({ status: 200, text: JSON.stringify({ proof }) });
  expect((await ask({ ...asked, path: '/api/proof?id=x&nonce=n' })).status).toBe(401);
  expect((await ask({ ...asked, headers: { authorization: '', host: 'localhost:7418' } })).status).toBe(421);
});

const LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

test.each<[string, Asked, number]>([
  ['a link of another site to the page', { path: '/', headers: LINK }, 200],
  ['one to a run', { path: '/runs/r-1', headers: LINK }, 200],
  [
    'one of another port or of a login',
    { path: '/', headers: { ...LINK, 'sec-fetch-site': 'same-site' } },
    200,
  ],
  ['one to data', { path: '/api/runs', headers: LINK }, 403],
  ['one in a frame', { path: '/', headers: { ...LINK, 'sec-fetch-dest': 'iframe' } }, 403],
  ['a script of another site', { path: '/', headers: { ...LINK, 'sec-fetch-mode': 'no-cors' } }, 403],
  ['a form of another site', { path: '/', method: 'POST', headers: { ...LINK, ...json }, body: '{}' }, 403],
  [
    'a page that asks for a token',
    { path: '/api/session', method: 'POST', headers: { ...LINK, ...json } },
    403,
  ],
])('WB12 guard: %s → answered as it must be', async (_what, asked, status) => {
  expect((await ask(asked)).status).toBe(status);
});

test.each([
  ['/healthz', 200, 'ok\n'],
  ['/readyz', 404, 'There is nothing here.'],
  ['/metrics', 404, 'There is nothing here.'],
  ['/metrics/', 404, 'There is nothing here.'],
  ['/runsx', 404, 'There is nothing here.'],
  ['/', 200, '<!doctype html>'],
  ['/runs', 200, '<!doctype html>'],
  ['/runs/a.b%2Fc', 200, '<!doctype html>'],
  ['/runs/a/b/1', 200, '<!doctype html>'],
  ['/sessions/a', 200, '<!doctype html>'],
])(
  'console: %s is asked, as a probe or a browser does → %i, and the page only where it has one (OP8)',
  async (path, status, begins) => {
    const answer = await ask({ path, headers: { authorization: '' } });
    expect({ status: answer.status, begins: answer.text.slice(0, begins.length) }).toEqual({
      status,
      begins,
    });
  },
);

test('WB16 guard: a write of more than 1 MB, then another request on its connection → refused, and the other is answered', async () => {
  const http = createServer(listenerOf(guarded.fetch));
  const { port, close } = await listenOn(http, { host: '127.0.0.1', ports: [0] });
  onTestFinished(() => void close());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const sockets = new Set<unknown>();
  const send = (path: string, method: string, body: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, ...json };
      const asked = request({ host: '127.0.0.1', port, path, method, agent, headers }, answer => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      });
      asked.once('socket', socket => sockets.add(socket));
      asked.once('error', reject).end(body);
    });
  expect(await send(write.path, 'POST', `"${'x'.repeat(3_000_000)}"`)).toBe(413);
  expect(await send('/healthz', 'GET', '')).toBe(200);
  expect(sockets.size).toBe(1);
});

// Other systems have one loopback address.
test.runIf(process.platform === 'linux')(
  'guard: the console listens on another loopback address → it needs no token, and its link names the address',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'guard-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const client = fakeRuns() as unknown as SteersmanClient;
    const options = { home, port: 0, listen: '127.0.0.2', client, report: () => undefined };
    const served = await serveConsole(options);
    onTestFinished(() => served.close());
    expect(new URL(served.link()).hostname).toBe('127.0.0.2');
    expect((await fetch(new URL('/icon.svg', served.link()))).status).toBe(200);
  },
);
