import { expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { SESSIONS_BYTES } from '../../../../src/base/sizes/bounds.js';
import { type CallFailure, FAILURE } from '../../../../src/run/limits/failure.js';
import type { ToolSession } from '../../../../src/run/tools/tool-session.js';
import {
  lendSessions,
  sessionFor,
  sessionLoss,
  takeBackSessions,
  withoutSession,
  withSession,
} from '../../../../src/run/tools/tool-session.js';

const tool = (server: string, stateful?: true) => ({
  origin: { type: 'mcp' as const, server, ...(stateful && { stateful }) },
});
const session = (server: string, id = server): ToolSession => ({ server, id, queue: `q/${id}` });

test('sessions: a tool of a stateful server → its session and no other; any other tool → none', () => {
  const sessions = [session('browser'), session('shell')];
  expect(sessionFor(sessions, tool('shell', true))).toEqual(session('shell'));
  expect(sessionFor(sessions, tool('mail', true))).toBeNull();
  expect(sessionFor(sessions, tool('shell'))).toBeNull();
  expect(sessionFor(sessions, { origin: { type: 'builtin' } })).toBeNull();
});

test('sessions: a second one of a server, and more than there is room for → the latest are kept, within the bound', () => {
  expect(withSession([session('a', '1'), session('b')], session('a', '2'))).toEqual([
    session('b'),
    session('a', '2'),
  ]);
  const names = Array.from({ length: 100 }, (_, index) => `server-${index}`);
  const many = names.reduce<ToolSession[]>((sessions, name) => withSession(sessions, session(name)), []);
  expect(jsonBytes(many)).toBeLessThanOrEqual(SESSIONS_BYTES);
  expect(many.at(-1)?.server).toBe('server-99');
});

test('sessions: two of a server, of tasks that have ended → one for who begins, the other stays; a lost one is not both', () => {
  const left = takeBackSessions([session('a', '1'), session('b')], [session('a', '2')]);
  expect(lendSessions(left)).toEqual({ lent: [session('a', '1'), session('b')], left: [session('a', '2')] });
  expect(withoutSession(left, 'a')).toEqual([session('b'), session('a', '2')]);
  const many = Array.from({ length: 100 }, (_, nth) => session('a', `${nth}`));
  expect(jsonBytes(takeBackSessions([session('b')], many))).toBeLessThanOrEqual(SESSIONS_BYTES);
});

test.each<[string, Pick<CallFailure, 'kind' | 'type'>, ReturnType<typeof sessionLoss>]>([
  ['its worker did not begin it', { kind: 'lost', type: FAILURE.tool.notSent }, 'not_run'],
  ['its worker ended before it was sent', { kind: 'application', type: FAILURE.tool.notSent }, 'not_run'],
  ['its worker was heard of no more', { kind: 'lost', type: '' }, 'unknown'],
  ['its worker ended while it ran', { kind: 'lost', type: FAILURE.workerShutdown }, 'unknown'],
  ['its arguments could not be read', { kind: 'lost', type: FAILURE.stateUnavailable }, null],
  ['it ran out of its time', { kind: 'timedOut', type: '' }, null],
  ['it was cancelled', { kind: 'cancelled', type: '' }, null],
])(
  'session lost: a call in a session, of which %s → as the worker that holds it is gone or not',
  (_, failure, loss) => {
    expect(sessionLoss({ message: '', ...failure })).toBe(loss);
  },
);
