/** What all pages of a console share, by its requests and responses. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { createConsole } from '../../../packages/console/console.js';
import type { Frame } from '../../../packages/view/frames.js';
import { type SteersmanClient, SteersmanError } from '../../../src/client/index.js';
import { type FakeRuns, fakeRuns, warning } from '../../support/fake-runs.js';
import { eventually } from '../../support/wait.js';

function consoleOf(runs: Pick<FakeRuns, 'attach' | 'list'>) {
  const shown = createConsole({ client: async () => runs as unknown as SteersmanClient });
  onTestFinished(() => shown.close());
  return shown;
}

/** A page: what it has heard so far, and what ends it. */
async function streamOf(shown: ReturnType<typeof consoleOf>, runs = { 'run-1': { since: 0 } }) {
  const response = await shown.fetch(
    new Request('http://here/api/stream', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ runs }),
    }),
  );
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += Buffer.from(value).toString('utf8');
    }
  };
  void read();
  const frames = () =>
    text
      .split('\n\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line.slice('data: '.length)) as Frame);
  const events = () => frames().filter(({ type }) => type === 'event');
  return { frames, events, leave: () => reader.cancel() };
}

test('console: twenty streams of one run → one watcher, and each hears all and what waits', async () => {
  const runs = fakeRuns();
  const attach = vi.spyOn(runs, 'attach');
  runs.happens(warning(1), warning(2));
  const shown = consoleOf(runs);
  const pages = await Promise.all(Array.from({ length: 20 }, () => streamOf(shown)));
  await eventually(() => expect(pages.map(page => page.events().length)).toEqual(Array(20).fill(2)));
  runs.happens(warning(3));
  await eventually(() => expect(pages.map(page => page.events().length)).toEqual(Array(20).fill(3)));
  expect(runs.watchers()).toBe(1);
  const waiting = (page: (typeof pages)[number]) => page.frames().filter(({ type }) => type === 'waiting');
  await eventually(() => expect(pages.every(page => waiting(page).length === 1)).toBe(true));
  // One for the watcher, and one a look for the run that is listed as waiting.
  const looks = runs.asked.filter(([name]) => name === 'list').length;
  expect(attach.mock.calls.length).toBe(1 + looks);
  for (const page of pages) await page.leave();
});

test('console: a run that can not be found while Temporal is away → told, and told of when it is back', async () => {
  const runs = fakeRuns();
  runs.happens(warning(1));
  let away = true;
  const shown = consoleOf({
    list: runs.list,
    attach: id => {
      if (away) throw new SteersmanError('Temporal does not answer.', '', 'unreachable');
      return runs.attach(id);
    },
  });
  const page = await streamOf(shown);
  await eventually(() =>
    expect(page.frames()).toContainEqual({
      ...{ type: 'lost', run: 'run-1', message: 'Temporal does not answer.' },
    }),
  );
  away = false;
  await eventually(() => expect(page.events()).toHaveLength(1));
  await page.leave();
});
