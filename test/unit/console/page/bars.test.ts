/** The timeline of the console's page: from events to bars. */
import { expect, test } from 'vitest';
import { positionAt, spansOf, ticksIn } from '../../../../packages/console/page/run/timeline/axis.js';
import { barBeside, timelineOf } from '../../../../packages/console/page/run/timeline/bars.js';
import type { Durable } from '../../../../packages/view/items.js';

function events(...list: [number, string, Record<string, unknown>?][]): Durable[] {
  return list.map(([at, type, rest], index) => ({ seq: index + 1, at, type, ...rest }) as unknown as Durable);
}

const turn = (callId: string) => ({ callId, role: 'executor', model: 'e/m' });
const tool = (callId: string) => ({ callId, tool: 'run', arguments: '{}' });

/** Name, beginning and end of each bar, by row. */
function rows(list: Durable[], now: number | null, path = '') {
  const lane = timelineOf(list, now).lanes.find(each => each.path === path);
  return lane?.rows.map(({ kind, bars }) => [kind, ...bars.map(({ from, to }) => [from, to])]);
}

test('timeline: turns one after the other → one row; calls at the same time → a row each', () => {
  const list = events(
    [0, 'model_call_started', turn('a')],
    [5, 'model_call_ended', turn('a')],
    [5, 'tool_call_started', tool('a_1')],
    [6, 'tool_call_started', tool('a_2')],
    [8, 'tool_call_ended', tool('a_2')],
    [9, 'tool_call_ended', tool('a_1')],
    [9, 'model_call_started', turn('b')],
    [12, 'model_call_ended', turn('b')],
  );
  expect(rows(list, 20)).toEqual([
    ['turn', [0, 5], [9, 12]],
    ['tool', [5, 9]],
    ['tool', [6, 8]],
  ]);
});

test('timeline: what goes on → open, and the axis ends now; in an ended run → it ended with the run', () => {
  const list = events([0, 'run_started', { goal: 'G' }], [10, 'gate_opened', { gateId: 'g1', kind: 'plan' }]);
  expect(rows(list, 90)).toEqual([['wait', [10, null]]]);
  expect(timelineOf(list, 90)).toMatchObject({ from: 0, to: 90 });
  expect(rows(list, null)).toEqual([['wait', [10, 10]]]);
});

test('timeline: nothing goes on in an open run → the axis ends with the last event', () => {
  const list = events([0, 'model_call_started', turn('a')], [50, 'model_call_ended', turn('a')]);
  expect(timelineOf(list, 5_000)).toMatchObject({ from: 0, to: 50 });
});

test('timeline: a sub-agent → a bar of the run, and a lane of its own without marks', () => {
  const list = events(
    [1, 'subagent_started', { id: 'search/1', role: 'search' }],
    [2, 'run_started', { path: 'search/1', goal: 'Find' }],
    [2, 'tool_call_started', { path: 'search/1', ...tool('a_1') }],
    [4, 'tool_call_ended', { path: 'search/1', isError: true, ...tool('a_1') }],
    [7, 'subagent_ended', { id: 'search/1', outcome: 'failed' }],
  );
  expect(rows(list, null)).toEqual([['agent', [1, 7]]]);
  expect(rows(list, null, 'search/1')).toEqual([['tool', [2, 4]]]);
  expect(timelineOf(list, null).marks).toEqual([]);
  expect(timelineOf(list, null).lanes.map(({ rows: [row] }) => row?.bars[0]?.isBad)).toEqual([true, true]);
});

test('timeline: the call of a sub-agent → its agent’s bar alone; a call that began none has its own (FC11)', () => {
  const call = (callId: string) => ({ callId, tool: 'call_subagent' });
  const list = events(
    [1, 'tool_call_started', { ...tool('a'), ...call('a') }],
    [2, 'subagent_started', { id: 'search/1', role: 'search' }],
    [7, 'subagent_ended', { id: 'search/1', outcome: 'completed' }],
    [8, 'tool_call_ended', { ...tool('a'), ...call('a'), isError: false }],
    [9, 'tool_call_started', { ...tool('b'), ...call('b') }],
    [10, 'tool_call_ended', { ...tool('b'), ...call('b'), isError: true }],
  );
  expect(rows(list, null)).toEqual([
    ['tool', [9, 10]],
    ['agent', [2, 7]],
  ]);
});

test('timeline: goal, message, answer → marks; later receipts of a message → none', () => {
  const list = events(
    [0, 'run_started', { goal: 'G' }],
    [3, 'receipt', { state: 'accepted', text: 'Hurry' }],
    [4, 'receipt', { state: 'applied' }],
    [9, 'goal_ended', { outcome: 'completed' }],
  );
  expect(timelineOf(list, null).marks).toEqual([
    { kind: 'goal', at: 0, text: 'G' },
    { kind: 'message', at: 3, text: 'Hurry' },
    { kind: 'answer', at: 9, text: 'completed' },
  ]);
});

test('timeline: no event → an axis all the same', () => {
  expect(timelineOf([], 7)).toMatchObject({ from: 7, to: 8, lanes: [] });
});

const whole = (ms: number) => [{ from: 100, to: 100 + ms, shown: ms }];

test.each([
  [4_000, 10, [0, 1_000, 2_000, 3_000, 4_000]],
  [95_000, 4, [0, 30_000, 60_000, 90_000]],
  [7_200_000, 4, [0, 1_800_000, 3_600_000, 5_400_000, 7_200_000]],
])('timeline: %d ms with at most %d lines → round times since its beginning', (span, most, ticks) => {
  expect(ticksIn(whole(span), most).map(at => at - 100)).toEqual(ticks);
});

test('timeline: weeks → few lines still', () => {
  expect(ticksIn(whole(40 * 86_400_000), 8).length).toBeLessThanOrEqual(9);
});

const night = events(
  [0, 'model_call_started', turn('a')],
  [20_000, 'model_call_ended', turn('a')],
  [20_000, 'gate_opened', { gateId: 'g1', kind: 'approval' }],
  [8_000_000, 'gate_closed', { gateId: 'g1' }],
  [8_000_000, 'tool_call_started', tool('a_1')],
  [8_020_000, 'tool_call_ended', tool('a_1')],
);

test('timeline: a night of waiting → it takes little of the axis, and work has its length', () => {
  const spans = spansOf(timelineOf(night, null), true);
  expect(spans.map(({ from, to }) => [from, to])).toEqual([
    [0, 20_000],
    [20_000, 8_000_000],
    [8_000_000, 8_020_000],
  ]);
  expect(positionAt(spans, 0)).toBe(0);
  expect(positionAt(spans, 20_000)).toBeGreaterThan(0.4);
  expect(positionAt(spans, 8_000_000)).toBeLessThan(0.6);
  expect(positionAt(spans, 8_020_000)).toBe(1);
  expect(ticksIn(spans, 4).filter(at => at > 20_000 && at < 8_000_000)).toEqual([]);
});

test('timeline: waits are not to be shortened, or there is no work → one axis, true to time', () => {
  expect(spansOf(timelineOf(night, null), false)).toEqual([{ from: 0, to: 8_020_000, shown: 8_020_000 }]);
  const waits = events([0, 'gate_opened', { gateId: 'g1', kind: 'plan' }]);
  expect(spansOf(timelineOf(waits, 90_000), true)).toEqual([{ from: 0, to: 90_000, shown: 90_000 }]);
});

test('arrow keys: bars of all lanes → one after the other by their beginning, and none beyond the ends', () => {
  const bar = (name: string, from: number) =>
    ({ kind: 'tool', name, from, to: null, isBad: false, detail: '' }) as const;
  const [a, b, c] = [bar('a', 1), bar('b', 2), bar('c', 3)];
  const lanes = [
    { path: '', rows: [{ kind: 'tool' as const, bars: [a, c] }] },
    { path: 'x/1', rows: [{ kind: 'tool' as const, bars: [b] }] },
  ];
  const names = [
    barBeside({ lanes }, null, 1),
    barBeside({ lanes }, a, 1),
    barBeside({ lanes }, b, 1),
    barBeside({ lanes }, c, 1),
    barBeside({ lanes }, a, -1),
  ];
  expect(names.map(each => each?.name)).toEqual(['a', 'b', 'c', 'c', 'a']);
  expect(barBeside({ lanes: [] }, null, 1)).toBeNull();
});
