import { expect, test } from 'vitest';
import { resumedState } from '../../../../src/conversation/handover.js';
import {
  answeringAt,
  executionAt,
  newConsultation,
  newSteering,
  planningAt,
  verificationAt,
  wrapUpAt,
} from '../../../../src/run/position/position.js';
import type { Cursor } from '../../../../src/run/state/cursor.js';
import type { RunState } from '../../../../src/run/state/run-state.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { acceptMessage } from '../../../../src/run/steering/inbox.js';

const settings = { mode: 'team', workspace: '/w', autoApprove: false } as const;

/** Every position that a run can stand at, and what can come in between. */
const CURSORS: Record<string, Partial<Cursor>> = {
  planning: { position: planningAt(1) },
  'a question of the planner': { position: { ...planningAt(2), step: { kind: 'ask', question: 'Which?' } } },
  execution: { position: executionAt(1, { kind: 'work', taskId: 'task-1' }) },
  verification: { position: verificationAt(1) },
  answering: { position: answeringAt() },
  'a wrap-up': { position: wrapUpAt(1, { cause: 'budget:tokens', why: 'they are used up' }) },
  steering: { interrupts: [newSteering([], 'planner')] },
  'steering between two goals': { interrupts: [newSteering([], null)] },
  'a consultation': {
    interrupts: [newConsultation({ key: 'k', role: 'reviewer', output: 'review', instruction: 'Look.' })],
  },
};

function handedOver(at = 'planning') {
  const state = newRunState('', settings, 7);
  return JSON.parse(JSON.stringify({ ...state, cursor: { ...state.cursor, ...CURSORS[at] } }));
}

/** Every field, also of parts of the state and of lists in it: `inbox`, `inbox.items`, `interrupts.0.turns`. */
function pathsOf(value: object, path: string[] = []): string[][] {
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [[...path, key]]),
    ...(typeof inner === 'object' && inner !== null ? pathsOf(inner, [...path, key]) : []),
  ]);
}

function without(path: readonly string[], at?: string): RunState {
  const state = handedOver(at);
  const part = path.slice(0, -1).reduce((value, key) => value[key], state);
  delete part[path.at(-1) ?? ''];
  return state;
}

const known = pathsOf(handedOver()).filter(
  ([first = '', second = '']) =>
    !['settings', 'startedAt'].includes(first) && !['position', 'interrupts'].includes(second),
);

test.each(known.map(path => [path.join('.'), path] as const))(
  'a state handed over by code that did not know %s → begins as in a new run',
  (_, path) => {
    expect(resumedState(without(path))).toEqual(handedOver());
  },
);

/** What a position is, and what it is about: nothing could stand for it. */
const IS = ['phase', 'cycle', 'step', 'cause', 'why', 'key', 'role', 'output', 'instruction'];

const ofPlaces = Object.keys(CURSORS).flatMap(at =>
  pathsOf(handedOver(at).cursor, ['cursor'])
    .filter(([, part, ...rest]) => (part === 'position' || part === 'interrupts') && rest.length > 0)
    .filter(path => !path.some(key => IS.includes(key)))
    .map(path => [at, path.join('.'), path] as const),
);

test.each(ofPlaces)(
  'a state at %s handed over by code that did not know %s → begins as at a new position of its kind',
  (at, _, path) => {
    expect(resumedState(without(path, at))).toEqual(handedOver(at));
  },
);

test('a message to a run whose part before was of code without one list of the inbox → is taken', () => {
  const state = resumedState(without(['people', 'inbox', 'takenBackIds']));
  const arrival = { at: 1, fallbackId: 's1', ended: false, readers: [], maxBytes: 1_000, room: 1_000 };
  expect(acceptMessage(state.people.inbox, { id: 'm', text: 'hello' }, 'steer', arrival).kind).toBe(
    'accepted',
  );
});

test('a state handed over by the same code → is the same', () => {
  const state = { ...handedOver(), lastId: 9, threads: { main: { id: 'main', epoch: 2 } }, end: { at: 3 } };
  expect(resumedState(state)).toEqual(state);
});

test('handed over: a model that came back, a choice that was replaced → not brought in again by what was known at the start (L20)', () => {
  const chosen = { all: null, roles: { executor: 'p/b' } };
  const known = { ...settings, knownModels: { chosen, out: { 'p/a': 'model.auth' } } };
  const begun = newRunState('', known, 7);
  const since = { ...begun, models: { ...begun.models, chosen: { all: 'p/c', roles: {} }, out: {} } };
  const { models, settings: kept } = resumedState(JSON.parse(JSON.stringify(since)) as RunState);
  expect([models.chosen, models.out]).toEqual([{ all: 'p/c', roles: {} }, {}]);
  expect(kept).toEqual(known);
});

test('handed over: code that noted steps beside the journal → their number and the uses of tools go on (O1, L20)', () => {
  const { log, ...state } = handedOver();
  const usedTools = { read: { count: 3, totalMs: 9 } };
  const { steps: _, usedTools: __, ...journal } = log.journal;
  const trace = { steps: [{ step: 5 }, { step: 6 }], dropped: 4, stored: ['ref-1'], usedTools };
  const resumed = resumedState({ ...state, log: { ...log, journal, trace } });
  expect(resumed.log).toEqual({ ...log, journal: { ...journal, steps: 6, usedTools } });
});
