/** The server that faces use over HTTP: who is let in, and in which form others are refused. */
import { expect, onTestFinished, test } from 'vitest';
import { type GuardedOptions, serveGuarded, urlHost } from '../../../src/shared/http/serve-guarded.js';

async function serve(options: Partial<GuardedOptions> = {}) {
  const given = { host: '127.0.0.1', port: 0, token: null, variable: 'FACE_TOKEN', ...options };
  const served = await serveGuarded(() => new Response('Come in.'), given);
  onTestFinished(() => served.close());
  return served;
}

test('a face over HTTP: this machine asks → is answered, and the program has its own Response', async () => {
  const own = globalThis.Response;
  const { url } = await serve();
  expect(await (await fetch(url)).text()).toBe('Come in.');
  expect(globalThis.Response).toBe(own);
});

test('a face over HTTP: a web page elsewhere → is refused in the form of all faults (TR13)', async () => {
  const { url } = await serve();
  const answer = await fetch(url, { headers: { origin: 'https://evil.example' } });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toEqual({
    error: { code: 'refused', message: expect.stringContaining('Origin'), remedy: '' },
  });
});

test('a face over HTTP: a token that is missing → 401 that asks for it; the token → is let in', async () => {
  const { url } = await serve({ token: 'secret' });
  const refused = await fetch(url);
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect((await fetch(url, { headers: { authorization: 'Bearer secret' } })).status).toBe(200);
});

test('a face over HTTP: an address of other machines without a token → does not listen, and names the variable (TR13)', async () => {
  await expect(serve({ host: '0.0.0.0' })).rejects.toMatchObject({
    message: expect.stringContaining('0.0.0.0'),
    remedy: expect.stringContaining('Set FACE_TOKEN'),
  });
});

test.each([
  ['::1', '[::1]'],
  ['127.0.0.1', '127.0.0.1'],
  ['face.example', 'face.example'],
])('a URL of the address %s → has %s', (address, host) => {
  expect(urlHost(address)).toBe(host);
});
