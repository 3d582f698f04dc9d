import { expect, test } from 'vitest';
import { inOrder } from '../../../../src/client/watch/in-order.js';
import type { RunEvent } from '../../../../src/client/watch/run-event.js';
import type { JournalEvent } from '../../../../src/run/state/journal.js';

const event = (at: number, type: string, id = ''): RunEvent =>
  ({ seq: 1, at, type, id }) as unknown as JournalEvent;
const says = (id: string, ...times: number[]) => ({
  id,
  events: times.map((at): RunEvent => ({ ...event(at, 'warning'), path: id })),
});
const spoken: RunEvent = { type: 'notice', text: 'text' };

/** `run 3` or `search/1 3`. */
function told(item: RunEvent): string {
  if (!('seq' in item)) return item.type;
  return `${item.path ?? item.type.replace(/^warning$/, 'run')} ${item.at}`;
}

test('in order: two sub-agents that worked side by side and have ended → by time, each between its begin and its end (A11)', () => {
  const own = [
    event(1, 'subagent_started', 'search/1'),
    event(2, 'subagent_started', 'search/2'),
    event(5, 'warning'),
    event(8, 'subagent_ended', 'search/1'),
    event(9, 'subagent_ended', 'search/2'),
  ];
  const children = [says('search/1', 3, 7), says('search/2', 4, 6)];
  expect(inOrder({ own, children }).map(told)).toEqual([
    ...['subagent_started 1', 'subagent_started 2', 'search/1 3', 'search/2 4', 'run 5'],
    ...['search/2 6', 'search/1 7', 'subagent_ended 8', 'subagent_ended 9'],
  ]);
});

test('in order: another server’s clock goes before or behind → begin and end hold all the same (A11)', () => {
  const own = [
    event(5, 'subagent_started', 'search/1'),
    event(8, 'subagent_ended', 'search/1'),
    event(9, 'warning'),
  ];
  expect(inOrder({ own, children: [says('search/1', 3, 12)] }).map(told)).toEqual([
    ...['subagent_started 5', 'search/1 3', 'search/1 12', 'subagent_ended 8', 'run 9'],
  ]);
});

test('in order: one that began before, and text without a time → text stays behind its event (A11)', () => {
  const own = [event(3, 'warning'), spoken, event(6, 'warning')];
  expect(inOrder({ own, children: [says('search/1', 2, 4)] }).map(told)).toEqual([
    ...['search/1 2', 'run 3', 'notice', 'search/1 4', 'run 6'],
  ]);
});
