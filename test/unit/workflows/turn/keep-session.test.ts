/** When what was said goes to the store of sessions, and what follows where that does not take it. */
import { expect, test } from 'vitest';
import type { KeepInput } from '../../../../src/activities/types.js';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { shortenThread } from '../../../../src/conversation/handover.js';
import { newRunState, type RunState } from '../../../../src/run/state/run-state.js';
import {
  lackAtEnd,
  type Mark,
  recordsBetween,
  type StoredLine,
} from '../../../../src/run/state/stored-line.js';
import { beginRun, endRun } from '../../../../src/workflows/goals.js';
import { hasUnkept, keepDue, keepEnd, keepSession } from '../../../../src/workflows/run/keep-session.js';
import { Run } from '../../../../src/workflows/run/run.js';
import { pinnedRun } from '../../../support/core-values.js';
import { runSettings } from '../../../support/rig.js';
import { quietPorts } from '../../../support/small-run.js';

/** A run, and a store that fails while `away`. */
function keptRun(pinned = pinnedRun({ keeps: true })) {
  const store = {
    ...{ away: false, clock: 1_000, missing: null as Mark | null },
    ...{ asked: [] as { once: boolean }[], kept: [] as StoredLine[] },
  };
  const state: RunState = { ...newRunState('Goal', runSettings('/work'), 1_000), pinned };
  const run: Run = new Run(state, {
    ...quietPorts([]),
    now: () => store.clock,
    keep: async ({ after, upTo }: Pick<KeepInput, 'after' | 'upTo'>, options) => {
      store.asked.push(options);
      if (store.away)
        return { ok: false, failure: { kind: 'application', type: '', message: 'no space left' } };
      store.kept.push(...recordsBetween(state, after, upTo));
      return { ok: true, value: store.missing && { missing: store.missing } };
    },
  });
  const say = (text: string) => run.say(run.mainThread(), 'instruction', text);
  const told = (type: string) => state.log.journal.events.filter(event => event.type === type);
  return { run, state, store, say, told };
}

const often = () => false;
const ids = (kept: readonly StoredLine[]) =>
  kept.flatMap(each => (each.kind === 'message' ? [each.message.id] : []));

test('keeping: the first words → at once; then little → not yet, unless the run is about to wait or to end; much → ten seconds after the last time, very much → at once', async () => {
  const { run, store, say } = keptRun();
  say('The goal.');
  expect(keepDue(run, often)).toBe(true);
  await keepSession(run);
  say('short');
  expect([keepDue(run, often), keepDue(run, () => true), hasUnkept(run)]).toEqual([false, true, true]);
  const much = [() => say('x'.repeat(50_000)), () => warn(90)];
  const veryMuch = [() => say('x'.repeat(150_000)), () => warn(200)];
  const warn = (count: number) => {
    for (let nth = 0; nth < count; nth += 1) run.journal('warning', { text: 'one more' });
  };
  for (const [sayMuch, sayVeryMuch] of [
    [much[0], veryMuch[0]],
    [much[1], veryMuch[1]],
  ] as const) {
    sayMuch?.();
    expect(keepDue(run, often)).toBe(false);
    store.clock += 10_000;
    expect(keepDue(run, often)).toBe(true);
    await keepSession(run);
    expect([keepDue(run, () => true), hasUnkept(run)]).toEqual([false, false]);
    sayVeryMuch?.();
    expect(keepDue(run, often)).toBe(true);
    await keepSession(run);
  }
});

test('keeping: a run that earlier code began → much is stored at once, as its history has it', () => {
  const { behaviour: _new, ...earlier } = pinnedRun({ keeps: true });
  const { run, say } = keptRun(earlier);
  run.journal('warning', { text: 'one' });
  run.state.log.kept = { id: 0, seq: 1 };
  say('x'.repeat(50_000));
  expect(keepDue(run, often)).toBe(true);
});

test('keeping: the loading has listed the run → its first words wait for more', () => {
  const { run, state, say } = keptRun();
  run.journal('warning', { text: 'one' });
  state.log.kept = { id: 0, seq: 1 };
  say('The goal.');
  expect([keepDue(run, often), keepDue(run, () => true)]).toEqual([false, true]);
});

test('keeping: a run without a store, as earlier code began it → never', () => {
  const { run, say } = keptRun(pinnedRun());
  say('x'.repeat(50_000));
  expect([keepDue(run, () => true), hasUnkept(run)]).toEqual([false, false]);
});

test('keeping: the store is away → said once, asked again after 15 s in one try, and it has all when it is back', async () => {
  const { run, store, say, told } = keptRun();
  store.away = true;
  say('one');
  await keepSession(run);
  say('two');
  expect([keepDue(run, () => true), hasUnkept(run)]).toEqual([false, true]);
  store.clock += 15_000;
  expect(keepDue(run, often)).toBe(true);
  await keepSession(run);
  expect([told('store_failed'), store.asked]).toEqual([
    [expect.objectContaining({ what: 'conversation', why: 'no space left' })],
    [{ once: false }, { once: true }],
  ]);
  store.away = false;
  store.clock += 15_000;
  await keepSession(run);
  expect(ids(store.kept)).toEqual(['m1', 'm2']);
  expect(told('store_back')).toMatchObject([{ afterMs: 15_000 }]);
  await keepSession(run);
  expect(ids(store.kept)).toEqual(['m1', 'm2']);
  const events = store.kept.flatMap(each => (each.kind === 'event' ? [each.event.type] : []));
  expect(events).toEqual(['store_failed', 'store_back']);
});

test('keeping: the last write of a run → in one try; where it is the only one, as of a sub-agent, in as many as any', async () => {
  const { run, state, store, say } = keptRun();
  say('one');
  await keepSession(run);
  say('two');
  state.end = { outcome: 'answered', cause: 'direct_answer', answer: 'So.' };
  await keepEnd(run);
  const agent = keptRun();
  agent.say('one');
  agent.state.end = state.end;
  await keepEnd(agent.run);
  expect([store.asked, agent.store.asked]).toEqual([[{ once: false }, { once: true }], [{ once: false }]]);
});

test('keeping: the store failed a moment ago, and the run ends → it is asked for the end all the same', async () => {
  const { run, state, store, say } = keptRun();
  store.away = true;
  say('one');
  await keepSession(run);
  store.away = false;
  state.end = { outcome: 'answered', cause: 'direct_answer', answer: 'So.' };
  await keepEnd(run);
  expect([store.asked, ids(store.kept)]).toEqual([[{ once: false }, { once: true }], ['m1']]);
});

test('LL12, LL14: the end of a run, and then receipts, in a store that is away or not → what it lacks is the end, the receipts, or nothing', async () => {
  const end = { outcome: 'answered', cause: 'direct_answer', answer: 'So.' } as const;
  const drop = (run: Run) => run.journal('receipt', { id: 'late', state: 'dropped', how: 'It has ended.' });
  const ended = async (away: boolean, pinned = pinnedRun({ keeps: true })) => {
    const { run, state, store, say } = keptRun(pinned);
    say('one');
    expect(lackAtEnd(state)).toBeNull();
    store.away = away;
    endRun(run, end);
    await keepEnd(run);
    return { run, state };
  };
  const [kept, unkept, nowhere] = [await ended(false), await ended(true), await ended(true, pinnedRun())];
  expect([kept, unkept, nowhere].map(({ state }) => lackAtEnd(state))).toEqual([null, 'end', null]);
  for (const { run } of [kept, unkept]) drop(run);
  expect([kept, unkept].map(({ state }) => lackAtEnd(state))).toEqual(['receipts', 'end']);
});

test('LL12: an earlier run of the conversation can not be read → the run says so as it begins', async () => {
  const { run, told } = keptRun();
  await beginRun(run, pinnedRun({ keeps: true }), { messages: [], leftOut: 0, untold: ['pool~2'] });
  expect(told('run_loaded')).toMatchObject([{ warnings: [expect.stringContaining('The run pool~2 ended')] }]);
});

test('LL4: the store was put back to an earlier state → told once, and what the run has lost since is a gap', async () => {
  const { run, store, say, told } = keptRun();
  say('one');
  await keepSession(run);
  // The journal keeps its last 500 events.
  for (let count = 1; count <= 600; count += 1) {
    run.journal('warning', { text: 'one more' });
    if (count % 100 === 0) await keepSession(run);
  }
  store.missing = { id: 0, seq: 0 };
  say('two');
  await keepSession(run);
  expect(told('warning').filter(event => 'text' in event && /put back/.test(event.text))).toHaveLength(1);
  expect(told('store_gap')).toMatchObject([{ messages: 0, events: expect.any(Number) }]);
  expect(hasUnkept(run)).toBe(true);
  store.missing = null;
  await keepSession(run);
  expect([hasUnkept(run), told('store_gap').length]).toEqual([false, 1]);
});

test('keeping: a thread is trimmed before it was kept → the store has each message whole; more than 40 KB of them → the gap is told', async () => {
  const { run, state, store, say, told } = keptRun();
  store.away = true;
  const said = Array.from({ length: 6 }, (_, at) => say(`${at} `.repeat(2_500)));
  await keepSession(run);
  const shorten = () =>
    shortenThread(state, run.mainThread(), 200, { why: 'a test', at: store.clock, keepsUserNotes: false });
  expect(shorten()).toBe(true);
  expect(run.mainThread().messages.length).toBeLessThan(said.length);
  store.away = false;
  await keepSession(run);
  const messages = store.kept.flatMap(each => (each.kind === 'message' ? [each.message] : []));
  expect(messages).toEqual(said);
  expect([state.log.unkept, told('store_gap')]).toEqual([[], []]);

  store.away = true;
  for (let count = 0; count < 30; count += 1) say('long '.repeat(1_000));
  expect(shorten()).toBe(true);
  expect(jsonBytes(state.log.unkept)).toBeLessThanOrEqual(40_010);
  expect(told('store_gap')).toMatchObject([{ messages: expect.any(Number), events: 0 }]);
});

test('keeping: a run that is cancelled while it waits for a person → the wait ends, in place of asking the store for ever', async () => {
  const state: RunState = {
    ...newRunState('Goal', runSettings('/work'), 1_000),
    pinned: pinnedRun({ keeps: true }),
  };
  let asked = 0;
  const run: Run = new Run(state, {
    ...quietPorts([]),
    // In a scope that is cancelled, an activity is before it begins.
    keep: async () => {
      asked += 1;
      if (asked > 5) throw new Error('asked again and again');
      return { ok: false, failure: { kind: 'cancelled', type: '', message: '' } };
    },
    throwIfCancelled: () => {
      throw new Error('cancelled');
    },
  });
  run.say(run.mainThread(), 'instruction', 'something to keep');
  await expect(run.line.waitForPerson(() => false, null, 'paused')).rejects.toThrow('cancelled');
  expect(asked).toBe(1);
});
