import { describe, expect, it } from 'vitest';
import { type CallFailure, FAILURE } from '../../../../src/run/limits/failure.js';
import {
  isNotBegun,
  type NotBegun,
  proofOfHttp,
  proofOfRpc,
  proofOfSocket,
  rpcEnding,
  toolEnding,
  toolFailureDecision,
} from '../../../../src/run/tools/effect.js';

describe('effect: an HTTP answer', () => {
  const alone = { inSession: false, asksAgain: false };
  const proven: [number, Partial<typeof alone>, NotBegun][] = [
    [401, {}, 'http_unauthorized'],
    [404, { inSession: true }, 'http_session_lost'],
    [405, {}, 'http_method'],
    [415, {}, 'http_media_type'],
    [429, { asksAgain: true }, 'http_rate_limit'],
  ];
  it.each(proven)('%i, %j → proves that the call was not begun: %s', (status, more, proof) => {
    expect(proofOfHttp({ ...alone, ...more, status })).toBe(proof);
  });

  it('of any other status, in a session or not, with Retry-After or not → proves nothing', () => {
    const told = [false, true];
    const proofs = Array.from({ length: 500 }, (_, index) => 100 + index).flatMap(status =>
      told.flatMap(inSession =>
        told.flatMap(asksAgain => (proofOfHttp({ status, inSession, asksAgain }) ? [status] : [])),
      ),
    );
    expect([...new Set(proofs)]).toEqual([401, 404, 405, 415, 429]);
    expect(proofOfHttp({ ...alone, status: 404 })).toBeNull();
    expect(proofOfHttp({ ...alone, status: 429 })).toBeNull();
  });
});

it.each([
  [{ syscall: 'connect', code: 'ECONNREFUSED' }, 'not_connected'],
  [{ syscall: 'connect', code: 'EHOSTUNREACH' }, 'not_connected'],
  [{ syscall: 'connect', code: 'ENETUNREACH' }, 'not_connected'],
  [{ syscall: 'connect', code: 'ETIMEDOUT' }, 'not_connected'],
  [{ syscall: 'getaddrinfo', code: 'ENOTFOUND' }, 'not_connected'],
  [{ syscall: 'getaddrinfo', code: 'EAI_AGAIN' }, 'not_connected'],
  [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 'not_connected'],
  [{ syscall: 'read', code: 'EHOSTUNREACH' }, null],
  [{ syscall: 'write', code: 'ENETUNREACH' }, null],
  [{ syscall: 'read', code: 'ECONNRESET' }, null],
  [{ syscall: 'read', code: 'ETIMEDOUT' }, null],
  [{ syscall: 'write', code: 'EPIPE' }, null],
  [{ code: 'UND_ERR_SOCKET' }, null],
  [{ code: 'UND_ERR_HEADERS_TIMEOUT' }, null],
  [{}, null],
])('effect: the error of a socket, %j → %s', (error, proof) => {
  expect(proofOfSocket(error)).toBe(proof);
});

it.each([
  [-32_601, null, 'rpc_no_method'],
  [-32_602, null, 'rpc_no_tool'],
  [-32_600, null, null],
  [-32_603, null, null],
  [-32_700, null, null],
  [-32_000, null, null],
  [-32_001, null, null],
  [undefined, null, null],
])(
  'effect: the JSON-RPC error %s → proves, of a tool that is listed: %s; of another: %s',
  (code, listed, not) => {
    expect([proofOfRpc(code, true), proofOfRpc(code, false)]).toEqual([listed, not]);
  },
);

it.each([
  [-32_601, true, 'unavailable', 'outcome_unknown'],
  [-32_601, false, 'unavailable', 'unavailable'],
  [-32_602, true, 'invalid', 'outcome_unknown'],
  [-32_602, false, 'unavailable', 'unavailable'],
  [-32_603, true, 'executed', 'executed'],
  [-32_600, true, 'executed', 'executed'],
  [-32_000, true, 'executed', 'outcome_unknown'],
  [-32_001, true, 'executed', 'outcome_unknown'],
  [-32_001, false, 'executed', 'outcome_unknown'],
  [-32_002, true, 'executed', 'executed'],
])(
  'effect: the JSON-RPC error %s, listed: %s → %s where it may be made again, else %s',
  (code, isListed, may, not) => {
    const ending = (mayRepeat: boolean) => rpcEnding(code, { isListed, mayRepeat });
    expect([ending(true), ending(false)]).toEqual([may, not]);
  },
);

const failed = (kind: CallFailure['kind'], type = ''): CallFailure => ({ kind, type, message: '' });

it.each([
  [failed('application', FAILURE.tool.notSent), true],
  [failed('application', FAILURE.tool.noWorkspace), true],
  [failed('lost', FAILURE.tool.notSent), true],
  [failed('lost', FAILURE.stateUnavailable), true],
  [failed('lost', FAILURE.workerShutdown), false],
  [failed('lost'), false],
  [failed('timedOut'), false],
  [failed('cancelled'), false],
  [failed('application', FAILURE.tool.connectionLost), false],
  [failed('application', 'TypeError'), false],
])('effect: the failure of an activity, %j → not begun: %s', (given, proven) => {
  expect(isNotBegun(given)).toBe(proven);
});

describe('toolEnding', () => {
  it.each([
    [failed('cancelled'), 'cancelled', 'outcome_unknown'],
    [failed('cancelled', FAILURE.tool.notSent), 'cancelled', 'cancelled'],
    [failed('lost'), 'unavailable', 'outcome_unknown'],
    [failed('timedOut'), 'timed_out', 'outcome_unknown'],
    [failed('application', FAILURE.tool.timeout), 'timed_out', 'outcome_unknown'],
    [failed('application', FAILURE.tool.connectionLost), 'unavailable', 'outcome_unknown'],
    [failed('application', FAILURE.tool.notSent), 'unavailable', 'unavailable'],
    [failed('application', FAILURE.tool.noWorkspace), 'unavailable', 'unavailable'],
    [failed('application', 'TypeError'), 'unavailable', 'outcome_unknown'],
    [failed('application', ''), 'unavailable', 'outcome_unknown'],
    [failed('lost', FAILURE.stateUnavailable), 'unavailable', 'unavailable'],
    [failed('lost', FAILURE.workerShutdown), 'unavailable', 'outcome_unknown'],
  ])('toolEnding: %j → %s when idempotent, else %s', (given, idempotent, other) => {
    expect(toolEnding(given, true)).toBe(idempotent);
    expect(toolEnding(given, false)).toBe(other);
  });
});

describe('toolFailureDecision', () => {
  it.each([
    [failed('lost'), 'reschedule', 'end'],
    [failed('lost', FAILURE.workerShutdown), 'reschedule', 'end'],
    [failed('lost', 'WorkerShutdown'), 'reschedule', 'end'],
    [failed('lost', FAILURE.stateUnavailable), 'reschedule', 'reschedule'],
    [failed('application', FAILURE.tool.notSent), 'reschedule', 'reschedule'],
    [failed('application', FAILURE.tool.noWorkspace), 'reschedule', 'reschedule'],
    [failed('application', FAILURE.tool.timeout), 'end', 'end'],
    [failed('application', FAILURE.tool.connectionLost), 'end', 'end'],
    [failed('application', 'TypeError'), 'end', 'end'],
    [failed('timedOut'), 'end', 'end'],
    [failed('cancelled'), 'end', 'end'],
  ] as const)('E1 toolFailureDecision: %j → %s when idempotent, else %s', (given, idempotent, other) => {
    const asked = (is: boolean) =>
      toolFailureDecision(given, { idempotent: is, rescheduled: 2, stopped: false });
    expect([asked(true), asked(false)]).toEqual([idempotent, other]);
  });

  it('E1 toolFailureDecision: its folder was missing where it was tried → more workers are tried than for other losses', () => {
    const missing = failed('application', FAILURE.tool.noWorkspace);
    const asked = (rescheduled: number) =>
      toolFailureDecision(missing, { idempotent: false, rescheduled, stopped: false });
    expect([3, 11, 12].map(asked)).toEqual(['reschedule', 'reschedule', 'end']);
  });

  it.each([
    ['made again three times already', { rescheduled: 3, stopped: false }],
    ['the run is to stop', { rescheduled: 0, stopped: true }],
  ])('E1 toolFailureDecision: %s → end, whatever the failure', (_name, given) => {
    for (const lost of [failed('lost'), failed('application', FAILURE.tool.notSent)]) {
      expect(toolFailureDecision(lost, { idempotent: true, ...given })).toBe('end');
    }
  });
});
