import { expect, test } from 'vitest';
import { jsonEvent } from '../../../../src/cli/print/json-event.js';
import type { OwnEvent, RunEvent } from '../../../../src/client/watch/run-event.js';

const warning: OwnEvent = { type: 'journal', event: { seq: 3, at: 7, type: 'warning', text: 'No index' } };
const line = { seq: 3, at: 7, type: 'warning', text: 'No index' };
const of = (event: OwnEvent): RunEvent => ({ type: 'child', child: 'search/1', agent: 'search', event });

test.each<[string, RunEvent, object | null]>([
  ['of the run', warning, line],
  ['of a sub-agent → with its place', of(warning), { child: 'search/1', ...line }],
  ['live, of the run', { type: 'notice', text: 'Waiting' }, null],
  ['live, of a sub-agent', of({ type: 'notice', text: 'Waiting' }), null],
])('--json: an event %s (A8)', (_, event, expected) => {
  expect(jsonEvent(event)).toEqual(expected);
});
