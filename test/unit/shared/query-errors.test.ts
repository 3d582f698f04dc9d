import { QueryNotRegisteredError, WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { isFinalQueryError } from '../../../src/client/connection/grpc-errors.js';
import { FAILURE, REFUSAL } from '../../../src/run/limits/failure.js';
import { localConnection } from '../../../src/shared/local/probe.js';
import { askPatiently, type QueryTrouble, queryTrouble } from '../../../src/shared/query-errors.js';
import { retryDelayMs, retryInterceptors } from '../../../src/shared/temporal/temporal-client.js';
import { readArguments } from '../../../src/worker/serve/read-arguments.js';

const grpc = (code: number, details = 'details') =>
  Object.assign(new Error(`${code} STATUS: ${details}`), { code, details, metadata: {} });
const service = (cause: Error) => new Error('Query failed', { cause });
const INVALID_ARGUMENT = 3;

describe('errors of queries', () => {
  test.each<[string, unknown, QueryTrouble]>([
    ['no worker has answered in time', grpc(4), 'passing'],
    ['too many queries wait', grpc(8), 'passing'],
    ['the workflow task is being tried again', grpc(9), 'passing'],
    ['the server is away', service(grpc(14)), 'passing'],
    ['the guard refuses a query', new QueryNotRegisteredError(REFUSAL, INVALID_ARGUMENT), 'passing'],
    ['the guard refuses, as a plain gRPC error', service(grpc(INVALID_ARGUMENT, REFUSAL)), 'passing'],
    [
      'its worker stood still meanwhile',
      new QueryNotRegisteredError('Script execution timed out after 5000ms', INVALID_ARGUMENT),
      'passing',
    ],
    ['there is no such handler', new QueryNotRegisteredError('no handler', INVALID_ARGUMENT), 'refused'],
    ['the server does not know the run', new WorkflowNotFoundError('gone', 'id', undefined), 'gone'],
    ['the same, as a plain gRPC error', service(grpc(5)), 'gone'],
    ['the client may not', grpc(7), 'other'],
    ['a fault of ours', new TypeError('x is undefined'), 'other'],
    ['no error at all', 'text', 'other'],
  ])(
    '%s → its kind of trouble, final for a client only where asking never helps (ST9)',
    (_, error, trouble) => {
      expect(queryTrouble(error)).toBe(trouble);
      expect(isFinalQueryError(error)).toBe(trouble === 'gone' || trouble === 'refused');
    },
  );

  const FAST = { minWaitMs: 1, maxWaitMs: 2, giveUpMs: 60_000 };

  function failing(...errors: Error[]) {
    let asked = 0;
    const ask = async () => {
      const error = errors[asked++];
      if (error) throw error;
      return 'answer';
    };
    return { ask, asked: () => asked };
  }

  test('asking: errors that pass, the guard among them → asked until there is an answer', async () => {
    const { ask, asked } = failing(grpc(14), grpc(9), new QueryNotRegisteredError(REFUSAL, INVALID_ARGUMENT));
    expect(await askPatiently(ask, FAST)).toBe('answer');
    expect(asked()).toBe(4);
  });

  test('asking: an error that does not pass → that error, at once', async () => {
    const { ask, asked } = failing(new QueryNotRegisteredError('no handler', INVALID_ARGUMENT));
    await expect(askPatiently(ask, FAST)).rejects.toThrow('no handler');
    expect(asked()).toBe(1);
  });

  test('asking: nothing but errors that pass → the last of them when the time is over', async () => {
    await expect(askPatiently(() => Promise.reject(grpc(14)), { ...FAST, giveUpMs: 5 })).rejects.toThrow(
      '14 STATUS',
    );
  });

  test('large arguments: a worker is being replaced → waited for, not failed (ST9)', async () => {
    const errors = [grpc(4), grpc(5), new QueryNotRegisteredError(REFUSAL, INVALID_ARGUMENT)];
    const query = async () => {
      const error = errors.shift();
      if (error) throw error;
      return { path: 'a' };
    };
    expect(await readArguments(query, 'c1', { ...FAST, bearing: ['passing', 'gone'] })).toEqual({
      path: 'a',
    });
    const refused = () => Promise.reject(new QueryNotRegisteredError('no handler', INVALID_ARGUMENT));
    await expect(readArguments(refused, 'c1')).rejects.toMatchObject({
      type: FAILURE.stateUnavailable,
      nonRetryable: false,
    });
  });
});

describe('requests that are sent again', () => {
  const waits = (code: number, details: string) =>
    [1, 2, 3, 4, 5, 6, 7, 9].map(attempt => retryDelayMs(attempt, { ...grpc(code, details), metadata }));
  const metadata = {} as Parameters<typeof retryDelayMs>[1]['metadata'];

  test('another query of the run is in line → again when a task can be over, and ever later; a busy server is left alone for longer (ST9)', () => {
    const inLine = 'consistent query buffer is full, this may be caused by too many queries';
    expect(waits(8, inLine)).toEqual([30, 60, 120, 240, 480, 960, 1_000, 1_000]);
    expect(Math.min(...waits(8, 'namespace rate limit exceeded'))).toBeGreaterThan(1_000);
  });

  test('the connection to a local server → has these waits', () => {
    expect(localConnection('127.0.0.1:1').options.interceptors).toBe(retryInterceptors);
  });
});
