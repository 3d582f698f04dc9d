/** The model calls of a run, and the address of an event. */
import { describe, expect, it } from 'vitest';
import { messagesBefore, modelCallsIn } from '../../../../packages/console/page/run/calls/model-calls.js';
import { eventId, eventPlace, itemOf } from '../../../../packages/console/page/run/event-place.js';
import type { Durable } from '../../../../packages/view/items.js';
import type { Message } from '../../../../src/client/index.js';

const event = (seq: number, more: object) => ({ seq, at: seq, ...more }) as Durable;
const begun = (seq: number, callId: string) =>
  event(seq, { type: 'model_call_started', callId, role: 'planner', model: 'a/b', turn: seq });

describe('model calls', () => {
  it('beginning and end → one call; a failed attempt is told with it', () => {
    const ended = {
      type: 'model_call_ended',
      callId: 'c1',
      role: 'planner',
      model: 'a/b',
      turn: 1,
      messageId: 'm1',
    };
    const failed = { type: 'model_call_failed', callId: 'c2', message: 'Overloaded' };
    const calls = modelCallsIn([begun(1, 'c1'), begun(2, 'c2'), event(3, ended), event(4, failed)]);
    expect(calls.map(({ callId, messageId, failure, at }) => [callId, messageId, failure, at])).toEqual([
      ['c1', 'm1', null, 1],
      ['c2', null, 'Overloaded', 2],
    ]);
  });

  it('a call of a sub-agent → on its own page', () => {
    expect(modelCallsIn([{ ...begun(1, 'c1'), path: 'search/1' }])).toEqual([]);
  });

  it('the messages before a reply → of its thread; of another one: none', () => {
    const messages = ['m1', 'm2', 'm3'].map(id => ({ id }) as Message);
    const threads = [{ thread: 'main', messages }];
    expect(messagesBefore(threads, 'm3')?.map(({ id }) => id)).toEqual(['m1', 'm2']);
    expect(messagesBefore(threads, 'm9')).toBeNull();
  });
});

describe('addresses of events', () => {
  const items = [
    { key: ' 2', path: '' },
    { key: 'search/1 3', path: 'search/1' },
    { key: ' 9', path: '' },
  ];

  it.each([
    ['event-2', { path: '', seq: 2 }],
    ['event-search/1-3', { path: 'search/1', seq: 3 }],
    ['event-search%2F1-3', { path: 'search/1', seq: 3 }],
    ['files', null],
    ['event-', null],
    ['event-%', null],
  ])('#%s → %j', (hash, place) => {
    expect(eventPlace(hash)).toEqual(place);
  });

  it('an item → the address that leads to it', () => {
    for (const [at, item] of items.entries()) {
      const place = eventPlace(eventId(item));
      expect(place && itemOf(items, place)).toBe(at);
    }
  });

  it('an event within an entry → the entry; one before all of them → none', () => {
    expect(itemOf(items, { path: '', seq: 5 })).toBe(0);
    expect(itemOf(items, { path: '', seq: 1 })).toBe(-1);
  });
});
