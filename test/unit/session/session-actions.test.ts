import { expect, test, vi } from 'vitest';
import { NEW_SESSION } from '../../../packages/session/input/session-state.js';
import { SessionActions } from '../../../packages/session/session-actions.js';
import { newProgress } from '../../../packages/view/run-progress.js';
import type { Gate } from '../../../src/run/gates/gate.js';
import { eventually } from '../../support/wait.js';

const GATE: Gate = {
  ...{ id: 'g1', title: 'search/1 asks: put', body: '', openedAt: 0, deadline: null, kind: 'approval' },
  subject: { tool: 'put', callId: 'c1', arguments: '{}' },
};

/** A session whose run takes every answer. */
function session() {
  const states = { asked: 1, read: () => {} };
  const answerGate = vi.fn(async () => {});
  const nothing = () => {};
  const scrollback = { you: nothing, tell: nothing, ownMessages: [] };
  const run = { id: 'r', answerGate };
  const scope = {
    ...{ run, owned: true, scrollback, reader: {}, states, left: new AbortController() },
    ...{ session: { ...NEW_SESSION, yes: true }, progress: newProgress('Go.') },
  };
  const actions = new SessionActions(scope as never);
  return { actions, states, answerGate, shown: () => scope.session.gates.map(({ id }) => id), scope };
}

test('a gate that was answered: in a state that was asked for before → hidden; asked for since → it was given back, is shown, and left to the person', async () => {
  const { actions, states, answerGate, shown, scope } = session();
  actions.setGates([GATE], 1);
  expect(shown()).toEqual([]);
  await eventually(() => expect(answerGate).toHaveBeenCalledOnce());
  await new Promise(setImmediate);
  actions.setGates([GATE], states.asked);
  expect(shown()).toEqual([]);
  states.asked += 1;
  actions.setGates([GATE], states.asked);
  expect(shown()).toEqual(['g1']);
  expect(scope.session.yes).toBe(false);
  expect(answerGate).toHaveBeenCalledOnce();
});
