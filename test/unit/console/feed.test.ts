/** One watcher of a run, and what each page hears of it. */
import { expect, test, vi } from 'vitest';
import type { Frame } from '../../../src/cli/console/api.js';
import { Feed } from '../../../src/cli/console/feed.js';
import type { RunEvent } from '../../../src/client/index.js';
import { eventItem, fakeRuns, warning } from '../../support/fake-runs.js';

async function feedOf(...items: RunEvent[]) {
  const runs = fakeRuns();
  runs.happens(...items);
  runs.stands({ lastEventSeq: items.length });
  return { runs, feed: new Feed(await runs.attach('run-1')) };
}

function listener(feed: Feed, since = 0) {
  const frames: Frame[] = [];
  const leave = feed.listen(since, frame => frames.push(frame));
  const events = () => frames.flatMap(frame => (frame.type === 'event' ? [frame.event] : []));
  return { frames, events, leave };
}

const started = (seq: number) =>
  eventItem(seq, 'model_call_started', {
    ...{ callId: 'c1', role: 'react', model: 'm', turn: 1, round: 1, taskId: null, form: 'words' },
  });
const text = (offset: number, said: string, attempt = 1): RunEvent => ({
  ...{ type: 'text', callId: 'c1', attempt, channel: 'text', offset, text: said },
  ...{ role: 'react', taskId: null, form: 'words' },
});

test('feed: twenty pages → one watcher, and each hears all', async () => {
  const { runs, feed } = await feedOf(warning(1), warning(2));
  const pages = Array.from({ length: 20 }, () => listener(feed));
  await vi.waitFor(() => expect(pages.every(page => page.events().length === 2)).toBe(true));
  runs.happens(warning(3));
  await vi.waitFor(() => expect(pages.every(page => page.events().length === 3)).toBe(true));
  expect(runs.watchers()).toBe(1);
  feed.close();
  await vi.waitFor(() => expect(runs.watchers()).toBe(0));
});

test('feed: a page that comes back → hears what came after its last event, once', async () => {
  const { runs, feed } = await feedOf(warning(1), warning(2), warning(3));
  const first = listener(feed);
  await vi.waitFor(() => expect(first.events()).toHaveLength(3));
  first.leave();
  runs.happens(warning(4));
  const stay = listener(feed);
  await vi.waitFor(() => expect(stay.events()).toHaveLength(4));
  expect(listener(feed, 3).events()).toEqual([expect.objectContaining({ seq: 4 })]);
  expect(first.events()).toHaveLength(3);
  feed.close();
});

test('feed: a page that comes while a reply is written → hears it so far in one piece', async () => {
  const { runs, feed } = await feedOf(started(1));
  const first = listener(feed);
  runs.happens(text(0, 'The po'), text(6, 'ol is'), text(11, ' long'));
  await vi.waitFor(() => expect(first.events()).toHaveLength(4));
  const late = listener(feed).events();
  expect(late.at(-1)).toMatchObject({ offset: 0, text: 'The pool is long' });
  feed.close();
});

test('feed: a reply that is begun again → the text of the earlier try is gone', async () => {
  const { runs, feed } = await feedOf(started(1));
  const first = listener(feed);
  runs.happens(text(0, 'Wrong'), text(0, 'Right', 2));
  await vi.waitFor(() => expect(first.events()).toHaveLength(3));
  expect(
    listener(feed)
      .events()
      .filter(({ type }) => type === 'text'),
  ).toEqual([text(0, 'Right', 2)]);
  feed.close();
});

test('feed: all events up to now → told by a frame, for who comes first and who comes late', async () => {
  const { feed } = await feedOf(warning(1), warning(2));
  const first = listener(feed);
  const kinds = ({ frames }: { frames: Frame[] }) =>
    frames.map(frame => (frame.type === 'event' ? 'event' : frame.type));
  await vi.waitFor(() => expect(kinds(first)).toEqual(['snapshot', 'event', 'event', 'caught_up']));
  expect(kinds(listener(feed))).toEqual(['snapshot', 'event', 'event', 'caught_up']);
  feed.close();
});

test('feed: a run that can not be read → pages are told why, and it is tried again', async () => {
  const runs = fakeRuns();
  const run = await runs.attach('run-1');
  let fails = true;
  const feed = new Feed({
    id: run.id,
    events: options => run.events(options),
    show: async options => {
      if (fails) throw new Error('no worker tells');
      return run.show(options);
    },
  });
  const page = listener(feed);
  await vi.waitFor(() =>
    expect(page.frames).toContainEqual({ type: 'lost', run: 'run-1', message: 'no worker tells' }),
  );
  fails = false;
  runs.happens(warning(1));
  await vi.waitFor(() => expect(page.events()).toHaveLength(1), { timeout: 10_000 });
  feed.close();
});
