/** What is typed and sent, where the browser has no room for more. */
import { expect, onTestFinished, test, vi } from 'vitest';

async function fullBrowser() {
  vi.stubGlobal('sessionStorage', {
    getItem: () => null,
    removeItem: () => undefined,
    setItem: () => {
      throw new DOMException('no room', 'QuotaExceededError');
    },
  });
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('location', { pathname: '/', hash: '' });
  vi.stubGlobal('document', { addEventListener: () => undefined, documentElement: {}, hidden: true });
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('setInterval', () => 0);
  const fetch = vi.fn(async (_path: string, _asked: RequestInit) => Response.json({}));
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  vi.resetModules();
  return fetch;
}

test('what is typed → stands in the page', async () => {
  await fullBrowser();
  const { draft } = await import('../../../../packages/console/page/parts/draft.js');
  const text = draft('composer r');
  text.value = 'a log';
  expect(draft('composer r').value).toBe('a log');
});

test('ids of what is sent, on a page of another machine without TLS → each another', async () => {
  await fullBrowser();
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const { freshId } = await import('../../../../packages/console/page/parts/draft.js');
  expect(freshId()).not.toBe(freshId());
});

test('what is sent → reaches the run', async () => {
  const fetch = await fullBrowser();
  // What is drawn is not compiled here.
  const drawn = '../../../../packages/console/page/run/messages.js';
  const { sendNote } = await import(drawn);
  const { noteState } = await import('../../../../packages/console/page/ask.js');
  noteState('live');
  const note = { id: 'm1', text: 'a log', at: 0, fault: null, when: 'skip', to: '' };
  await sendNote('r', { ...note, kind: 'steer' });
  expect(fetch.mock.calls.map(([path]) => path)).toEqual(['/api/runs/r/steer']);
});
