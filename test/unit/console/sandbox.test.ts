/** The second origin of the console: one page, under the policy that an app declares and no wider. */
import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../../packages/console/sandbox.js';

const sandbox = createSandbox({ consoles: ['http://127.0.0.1:7418'] });

async function policyOf(csp: unknown): Promise<Record<string, string>> {
  const query = csp === undefined ? '' : `?csp=${encodeURIComponent(JSON.stringify(csp))}`;
  const { headers } = await sandbox.fetch(new Request(`http://127.0.0.1:9/${query}`));
  const parts = (headers.get('content-security-policy') ?? '').split('; ');
  return Object.fromEntries(
    parts.map(part => [part.slice(0, part.indexOf(' ')), part.slice(part.indexOf(' ') + 1)]),
  );
}

const CLOSED = {
  'default-src': "'none'",
  'script-src': "'unsafe-inline'",
  'style-src': "'unsafe-inline'",
  'img-src': 'data:',
  'font-src': 'data:',
  'media-src': 'data:',
  'connect-src': "'none'",
  'frame-src': "'none'",
  'base-uri': "'none'",
  'object-src': "'none'",
  'form-action': "'none'",
  'frame-ancestors': 'http://127.0.0.1:7418',
};

describe('the policy of an app', () => {
  test.each([[undefined], [{}], ['odd'], [[]], [{ connectDomains: 'https://a.example' }]])(
    'declared as %j → nothing from elsewhere',
    async csp => expect(await policyOf(csp)).toEqual(CLOSED),
  );

  test.each([
    [{}, '()'],
    [
      {
        connectDomains: ['https://api.example', '"'],
        frameDomains: ['https://a.example', 'https://api.example'],
      },
      '("https://api.example" "https://a.example")',
    ],
  ])('WB11: declared as %j → it may connect to these places alone', async (csp, list) => {
    const query = encodeURIComponent(JSON.stringify(csp));
    const { headers } = await sandbox.fetch(new Request(`http://127.0.0.1:9/?csp=${query}`));
    expect(headers.get('connection-allowlist')).toBe(list);
  });

  test('consoles by an address of IPv6, which no policy knows → left out', async () => {
    const { fetch } = createSandbox({ consoles: ['http://127.0.0.1:7418', 'http://[::1]:7418'] });
    const { headers } = await fetch(new Request('http://127.0.0.1:9/'));
    expect(headers.get('content-security-policy')).toMatch(/frame-ancestors http:\/\/127\.0\.0\.1:7418$/);
  });

  test('places declared → those, each where it counts', async () => {
    const declared = {
      connectDomains: ['https://api.example', 'wss://live.example:8443'],
      resourceDomains: ['https://*.cdn.example'],
      frameDomains: ['https://frame.example'],
      baseUriDomains: ['https://base.example'],
    };
    expect(await policyOf(declared)).toEqual({
      ...CLOSED,
      'script-src': "'unsafe-inline' https://*.cdn.example",
      'style-src': "'unsafe-inline' https://*.cdn.example",
      'img-src': 'data: https://*.cdn.example',
      'font-src': 'data: https://*.cdn.example',
      'media-src': 'data: https://*.cdn.example',
      'connect-src': 'https://api.example wss://live.example:8443',
      'frame-src': 'https://frame.example',
      'base-uri': 'https://base.example',
    });
  });

  test.each([
    ['*'],
    ["'self'"],
    ['https:'],
    ['https://a.example; script-src *'],
    ['https://a.example, https://b.example'],
    ['https://a.example\nx-header: 1'],
    ['data:'],
    ['https://*'],
    ['javascript:alert(1)'],
    [7],
  ])('the place %j → left out', async place =>
    expect(
      await policyOf({ connectDomains: [place], resourceDomains: [place], frameDomains: [place] }),
    ).toEqual(CLOSED),
  );

  test('more than 20 places → the first 20', async () => {
    const connectDomains = Array.from({ length: 60 }, (_, n) => `https://a${n}.example`);
    const { 'connect-src': allowed = '' } = await policyOf({ connectDomains });
    expect(allowed.split(' ')).toEqual(connectDomains.slice(0, 20));
  });
});

test.each([
  ['GET', '/other'],
  ['GET', '/api/runs'],
  ['POST', '/'],
])('%s %s → nothing there, under the closed policy', async (method, path) => {
  const answer = await sandbox.fetch(new Request(`http://127.0.0.1:9${path}`, { method }));
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
});
