/** One watcher of a run, and what each page hears of it. */

import { expect, test } from 'vitest';
import { Feed } from '../../../packages/console/feed.js';
import type { Frame } from '../../../packages/view/frames.js';
import type { Gate, RunEnd, RunEvent, RunSnapshot } from '../../../src/client/index.js';
import { eventItem, fakeRuns, warning } from '../../support/fake-runs.js';
import { eventually } from '../../support/wait.js';

async function feedOf(...items: RunEvent[]) {
  const runs = fakeRuns();
  runs.happens(...items);
  runs.stands({ lastEventSeq: items.length });
  return { runs, feed: new Feed(await runs.attach('run-1')) };
}

function listener(feed: Feed, since = 0, most?: number) {
  const frames: Frame[] = [];
  const leave = feed.listen(since, frame => frames.push(frame), most);
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
  await eventually(() => expect(pages.every(page => page.events().length === 2)).toBe(true));
  runs.happens(warning(3));
  await eventually(() => expect(pages.every(page => page.events().length === 3)).toBe(true));
  expect(runs.watchers()).toBe(1);
  feed.close();
  await eventually(() => expect(runs.watchers()).toBe(0));
});

test('feed: a page that comes back → hears what came after its last event, once', async () => {
  const { runs, feed } = await feedOf(warning(1), warning(2), warning(3));
  const first = listener(feed);
  await eventually(() => expect(first.events()).toHaveLength(3));
  first.leave();
  runs.happens(warning(4));
  const stay = listener(feed);
  await eventually(() => expect(stay.events()).toHaveLength(4));
  expect(listener(feed, 3).events()).toEqual([expect.objectContaining({ seq: 4 })]);
  expect(first.events()).toHaveLength(3);
  feed.close();
});

test('feed: a page that comes while a reply is written → hears it so far in one piece', async () => {
  const { runs, feed } = await feedOf(started(1));
  const first = listener(feed);
  runs.happens(text(0, 'The po'), text(6, 'ol is'), text(11, ' long'));
  await eventually(() => expect(first.events()).toHaveLength(4));
  const late = listener(feed).events();
  expect(late.at(-1)).toMatchObject({ offset: 0, text: 'The pool is long' });
  feed.close();
});

test('feed: a part of a reply was not seen → a late page hears what stands behind the hole, and no more', async () => {
  const { runs, feed } = await feedOf(started(1));
  const first = listener(feed);
  runs.happens(text(0, 'The po'), text(2_000, 'far and '), text(2_008, 'wide'));
  await eventually(() => expect(first.events()).toHaveLength(4));
  expect(listener(feed).events().at(-1)).toMatchObject({ offset: 2_000, text: 'far and wide' });
  feed.close();
});

test('feed: a run has ended, and nobody tells all of its events → pages are told that there are no more (FC4)', async () => {
  const runs = fakeRuns();
  runs.stands({ lastEventSeq: 5, endedAt: '2026-01-01T00:00:00.000Z', answered: false });
  runs.happens(warning(1), { type: 'end', end: { id: 'run-1' } as RunEnd });
  const feed = new Feed(await runs.attach('run-1'));
  const first = listener(feed);
  await eventually(() => expect(first.events()).toHaveLength(2));
  for (const { frames } of [first, listener(feed)])
    expect(frames.filter(({ type }) => type === 'caught_up')).toEqual([
      { type: 'caught_up', run: 'run-1', from: 1 },
    ]);
  feed.close();
});

test('feed: a reply that is begun again → the text of the earlier try is gone', async () => {
  const { runs, feed } = await feedOf(started(1));
  const first = listener(feed);
  runs.happens(text(0, 'Wrong'), text(0, 'Right', 2));
  await eventually(() => expect(first.events()).toHaveLength(3));
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
  await eventually(() => expect(kinds(first)).toEqual(['snapshot', 'event', 'event', 'caught_up']));
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
  await eventually(() =>
    expect(page.frames).toContainEqual({ type: 'lost', run: 'run-1', message: 'no worker tells' }),
  );
  fails = false;
  runs.happens(warning(1));
  await eventually(() => expect(page.events()).toHaveLength(1));
  feed.close();
});

test('feed: a long run → a page that comes first hears as many events as it asks for and from where; one that comes back, all after its last', async () => {
  const all = Array.from({ length: 1_500 }, (_, at) => warning(at + 1));
  const { runs, feed } = await feedOf(...all);
  const first = listener(feed);
  await eventually(() => expect(first.events()).toHaveLength(1_500));
  expect(first.frames).toContainEqual({ type: 'caught_up', run: 'run-1', from: 1 });
  runs.happens(...Array.from({ length: 50 }, (_, at) => warning(1_501 + at)));
  await eventually(() => expect(first.events()).toHaveLength(1_550));
  const late = listener(feed, 0, 1_000);
  expect(late.events()).toHaveLength(1_000);
  expect(late.frames).toContainEqual({ type: 'caught_up', run: 'run-1', from: 551 });
  expect(listener(feed).events()).toHaveLength(1_550);
  expect(listener(feed, 510, 1_000).events()).toHaveLength(1_040);
  feed.close();
});

test('feed: something is sent to the run → what comes of it is looked for at once', async () => {
  const runs = fakeRuns();
  const run = await runs.attach('run-1');
  let sooner = false;
  const feed = new Feed({
    id: run.id,
    show: run.show,
    events: async function* (options) {
      await options?.sooner?.();
      sooner = true;
      yield* run.events(options);
    },
  });
  listener(feed);
  await eventually(() => {
    feed.hurry();
    expect(sooner).toBe(true);
  });
  feed.close();
});

/** A feed of a run whose state is told by `show`. */
async function feedBy(show: () => Promise<RunSnapshot>) {
  const runs = fakeRuns();
  const run = await runs.attach('run-1');
  const feed = new Feed({ id: run.id, events: options => run.events(options), show });
  const page = listener(feed);
  const snapshots = () => page.frames.flatMap(frame => (frame.type === 'snapshot' ? [frame.snapshot] : []));
  return { runs, feed, snapshots };
}

test('feed: no worker tells of the run any more → what is known of it stays, and that nobody tells it is told', async () => {
  const runs = fakeRuns();
  const told = await (await runs.attach('run-1')).show();
  const gate = { id: 'g1' } as Gate;
  let answered = true;
  const fed = await feedBy(async () => ({ ...told, answered, gates: answered ? [gate] : [] }));
  await eventually(() => expect(fed.snapshots()).toHaveLength(1));
  answered = false;
  fed.runs.happens(warning(1));
  await eventually(() => expect(fed.snapshots().at(-1)).toMatchObject({ answered: false, gates: [gate] }));
  fed.feed.close();
});

test('feed: a look at the state that fails after an event → it is made again, so that no gate is missed', async () => {
  const runs = fakeRuns();
  const told = await (await runs.attach('run-1')).show();
  let looks = 0;
  const fed = await feedBy(async () => {
    looks += 1;
    if (looks === 2) throw new Error('away');
    return { ...told, lastEventSeq: looks };
  });
  fed.runs.happens(warning(1));
  await eventually(() => expect(fed.snapshots().at(-1)?.lastEventSeq).toBe(3));
  fed.feed.close();
});

test('feed: looks that take long → one at a time, and the last one counts', async () => {
  const runs = fakeRuns();
  const told = await (await runs.attach('run-1')).show();
  let looks = 0;
  let atOnce = 0;
  let most = 0;
  const release: (() => void)[] = [];
  const fed = await feedBy(async () => {
    looks += 1;
    most = Math.max(most, ++atOnce);
    if (looks === 2) await new Promise<void>(resolve => release.push(resolve));
    atOnce -= 1;
    return { ...told, lastEventSeq: looks };
  });
  fed.runs.happens(warning(1));
  await eventually(() => expect(release).toHaveLength(1));
  fed.runs.happens(warning(2), warning(3));
  await eventually(() => expect(fed.snapshots()).toHaveLength(1));
  release[0]?.();
  await eventually(() => expect(fed.snapshots().at(-1)?.lastEventSeq).toBe(3));
  expect(most).toBe(1);
  fed.feed.close();
});
