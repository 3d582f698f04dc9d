/** The look-out for all that waits for a person. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { Waiting } from '../../../packages/console/waiting.js';
import type { Frame } from '../../../packages/view/frames.js';
import type { Gate, ListedRun, RunSnapshot, SteersmanClient } from '../../../src/client/index.js';
import { fakeRuns } from '../../support/fake-runs.js';
import { latch } from '../../support/steering.js';
import { eventually } from '../../support/wait.js';

type Show = () => Promise<RunSnapshot>;

/** What is told of these runs, all of them listed as waiting. */
function lookOut(shows: Record<string, Show>) {
  const client = {
    async *list({ limit }: { limit: number }) {
      // Newest first.
      for (const id of Object.keys(shows).reverse().slice(0, limit))
        yield { id, goal: `Goal of ${id}` } as ListedRun;
    },
    attach: async (id: string) => ({ show: async () => ({ ...(await shows[id]?.()), id }) }),
  };
  const waiting = new Waiting(async () => client as unknown as SteersmanClient);
  onTestFinished(() => waiting.close());
  const told: Extract<Frame, { type: 'waiting' }>[] = [];
  waiting.listen(frame => {
    if (frame.type === 'waiting') told.push(frame);
  });
  const more = () => told.at(-1)?.more;
  const last = () => ({
    gates: told.at(-1)?.gates.map(({ run }) => run),
    untold: told.at(-1)?.untold.map(({ run }) => run),
  });
  return { last, more };
}

async function snapshot(): Promise<RunSnapshot> {
  const told = await (await fakeRuns().attach('run-1')).show();
  const gate = { id: 'g1', openedAt: 1, deadline: null } as Gate;
  return { ...told, answered: true, endedAt: null, gates: [gate] };
}

test('waiting: the worker of a run is away → its gate stays, and it is told that nobody tells of it; back → told again', async () => {
  const told = await snapshot();
  let answered = true;
  const { last } = lookOut({ one: async () => ({ ...told, answered, gates: answered ? told.gates : [] }) });
  await eventually(() => expect(last()).toEqual({ gates: ['one'], untold: [] }));
  answered = false;
  await eventually(() => expect(last()).toEqual({ gates: ['one'], untold: ['one'] }));
  answered = true;
  await eventually(() => expect(last()).toEqual({ gates: ['one'], untold: [] }));
});

test('waiting: a run of which no worker has ever told → it is told that it waits, not that nothing does', async () => {
  const told = await snapshot();
  const { last } = lookOut({ one: async () => ({ ...told, answered: false, gates: [] }) });
  await eventually(() => expect(last()).toEqual({ gates: [], untold: ['one'] }));
});

test('waiting: a run that has not answered yet → holds up no other, and is told: it waits all the same', async () => {
  const told = await snapshot();
  const { last } = lookOut({ silent: () => new Promise(() => undefined), one: async () => told });
  await eventually(() => expect(last()).toEqual({ gates: ['one'], untold: ['silent'] }));
});

test('waiting: more runs wait than are listed → that is told, and a gate that newer ones push off the list stays until it is closed', async () => {
  const told = await snapshot();
  const ids = Array.from({ length: 100 }, (_, at) => `run-${at}`);
  const shows: Record<string, Show> = Object.fromEntries(ids.map(id => [id, async () => told]));
  const { last, more } = lookOut(shows);
  await eventually(() => expect([last().gates?.length, more()]).toEqual([100, false]));
  shows['run-100'] = async () => told;
  await eventually(() => expect([last().gates?.length, more()]).toEqual([101, true]));
  expect(last().gates).toContain('run-0');
  shows['run-0'] = async () => ({ ...told, gates: [] });
  await eventually(() => expect(last().gates).not.toContain('run-0'));
  expect([last().gates?.length, more()]).toEqual([100, true]);
});

test('waiting: a list that Temporal does not answer → told within seconds, and again as soon as it answers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const back = latch();
  const client = {
    address: 'here:1',
    async *list() {
      await back.until;
      yield* [];
    },
  };
  const waiting = new Waiting(async () => client as unknown as SteersmanClient);
  onTestFinished(() => waiting.close());
  const told: (string | null)[] = [];
  waiting.listen(frame => {
    if (frame.type === 'trouble') told.push(frame.message);
  });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(told).toEqual([expect.stringContaining('here:1 does not answer')]);
  back.open();
  await vi.advanceTimersByTimeAsync(0);
  expect(told.slice(1)).toEqual([null]);
});
