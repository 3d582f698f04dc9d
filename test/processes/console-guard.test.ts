/** What other pages of the same browser can do to the console: nothing. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createConsole } from '../../packages/console/console.js';
import { listenerOf } from '../../src/shared/http/serve-guarded.js';
import { browserPath, consoleOfFile } from '../support/browser.js';
import { rigOfFile } from '../support/rig-of-file.js';

describe.skipIf(browserPath === null)('console', () => {
  const rig = rigOfFile();
  const shown = consoleOfFile(rig, {
    browserArgs: () => ['--host-resolver-rules=MAP evil.example 127.0.0.1'],
  });
  let other = '';
  const site = createServer(({ url = '' }, res) => {
    const framed = url.split('?')[1];
    const body = framed === undefined ? '<h1>Another page</h1>' : `<iframe src="${framed}"></iframe>`;
    res.setHeader('content-type', 'text/html').end(body);
  });
  beforeAll(async () => {
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
    other = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  });
  afterAll(() => site.close());

  /** The status of a request that a page sends; what the browser itself refuses to send or to tell is 0. */
  async function statusFrom(page: string, path: string, init: RequestInit = {}): Promise<number> {
    const tab = await (await shown.browser.newContext()).newPage();
    await tab.goto(page);
    const url = new URL(path, shown.url).href;
    const status = await tab.evaluate(
      ([to, how]) =>
        fetch(to as string, how as RequestInit).then(
          answer => answer.status,
          () => 0,
        ),
      [url, init] as const,
    );
    await tab.close();
    return status;
  }

  async function runIds(): Promise<Set<string>> {
    const ids = new Set<string>();
    for await (const { id } of shown.client.list({ limit: 1_000 })) ids.add(id);
    return ids;
  }

  test('a name that was made to point here → 421, and no page', async () => {
    const tab = await (await shown.browser.newContext()).newPage();
    const answer = await tab.goto(shown.url.replace('127.0.0.1', 'evil.example'));
    expect(answer?.status()).toBe(421);
    await tab.close();
  });

  test.each<[string, RequestInit]>([
    ['reads', {}],
    ['writes as a form would', { method: 'POST', mode: 'no-cors', body: '{"goal":"x"}' }],
    [
      'writes JSON',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"goal":"x"}' },
    ],
    ['writes with a token', { method: 'POST', headers: { authorization: 'Bearer x' }, body: '{}' }],
  ])('a page on another port %s → nothing comes back, and no run begins', async (_what, init) => {
    // Files before this one have left theirs on the server.
    const before = await runIds();
    expect(await statusFrom(other, 'api/runs', init)).toBe(0);
    expect(await runIds()).toEqual(before);
  });

  test('mounted behind a login of ones own → a browser that is let in sees the page, and is asked for no link', async () => {
    const pages = createConsole({ client: async () => shown.client });
    const server = createServer(listenerOf(pages.fetch));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const tab = await (await shown.browser.newContext()).newPage();
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await tab.getByText('live', { exact: true }).waitFor();
    await tab.close();
    pages.close();
    server.close();
    server.closeAllConnections();
  });

  test('framed by another page → the browser shows nothing of it', async () => {
    const tab = await (await shown.browser.newContext()).newPage();
    await tab.goto(`${other}?${shown.url}`);
    const [, frame] = tab.frames();
    expect(frame).toBeDefined();
    expect(await frame?.content()).not.toContain('app.js');
    await tab.close();
  });

  test('a link → a page that is in; the same link again, or none → one that asks for a link', async () => {
    const link = shown.served.link();
    const first = await (await shown.browser.newContext()).newPage();
    await first.goto(link);
    await first.getByRole('navigation').waitFor();
    expect(first.url()).not.toContain('#');
    const second = await (await shown.browser.newContext()).newPage();
    await second.goto(link);
    await second.getByText('needs a link').waitFor();
    await second.goto(shown.url);
    await second.getByText('needs a link').waitFor();
    // A tab of the same browser has it from the first.
    const beside = await first.context().newPage();
    await beside.goto(shown.url);
    await beside.getByRole('navigation').waitFor();
  });
});
