import { expect, test } from 'vitest';
import { acceptMessage } from '../../../src/core/inbox.js';
import { isRecord } from '../../../src/core/json.js';
import { resumedState } from '../../../src/core/resume.js';
import type { RunState } from '../../../src/core/run-state.js';
import { newRunState } from '../../../src/core/run-state.js';

const settings = { mode: 'team', workspace: '/w', autoApprove: false } as const;
const handedOver = () => JSON.parse(JSON.stringify(newRunState('', settings, 7)));

/** Every field, also of parts of the state: `inbox`, `inbox.items`. */
function pathsOf(value: Record<string, unknown>, path: string[] = []): string[][] {
  return Object.entries(value).flatMap(([key, inner]) => [
    [...path, key],
    ...(isRecord(inner) ? pathsOf(inner, [...path, key]) : []),
  ]);
}

function without(path: readonly string[]): RunState {
  const state = handedOver();
  const at = path.slice(0, -1).reduce((part, key) => part[key], state);
  delete at[path.at(-1) ?? ''];
  return state;
}

const known = pathsOf(handedOver()).filter(([first = '']) => !['settings', 'startedAt'].includes(first));

test.each(known.map(path => [path.join('.'), path] as const))(
  'a state handed over by code that did not know %s → begins as in a new run',
  (_, path) => {
    expect(resumedState(without(path))).toEqual(handedOver());
  },
);

test('a message to a run whose part before was of code without one list of the inbox → is taken', () => {
  const state = resumedState(without(['inbox', 'takenBackIds']));
  const arrival = { at: 1, fallbackId: 's1', ended: false, maxBytes: 1_000, room: 1_000 };
  expect(acceptMessage(state.inbox, { id: 'm', text: 'hello' }, 'steer', arrival).kind).toBe('accepted');
});

test('a state handed over by the same code → is the same', () => {
  const state = { ...handedOver(), lastId: 9, threads: { main: { id: 'main', epoch: 2 } }, end: { at: 3 } };
  expect(resumedState(state)).toEqual(state);
});
