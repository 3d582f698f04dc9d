import { TransportError } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runWorker } from '../../../src/worker/run-worker.js';
import { eventually } from '../../support/wait.js';

afterEach(() => vi.unstubAllEnvs());

test('a worker: its metrics have an address that is none → refused in words, with what to set', async () => {
  vi.stubEnv('STEERSMAN_METRICS', 'nowhere');
  const served = runWorker({ configDir: '/', taskQueue: 'q', isTrusted: () => false });
  await expect(served).rejects.toMatchObject({
    name: 'SteersmanError',
    remedy: expect.stringContaining('STEERSMAN_METRICS'),
  });
});

/** The server and the SDK's worker are played: what a process does between them. */
const close = vi.fn(async () => undefined);
const create = vi.fn<() => Promise<unknown>>();
const MOCKED = ['connect.js', 'create-worker.js'].map(name => `../../../src/worker/${name}`);
const monitors = process.listeners('uncaughtExceptionMonitor');
let serve: () => Promise<void>;
beforeAll(async () => {
  vi.resetModules();
  const connect = async () => ({ connection: { close }, namespace: 'nowhere' });
  vi.doMock('../../../src/worker/connect.js', () => ({ connect, connectWhenThere: connect }));
  vi.doMock('../../../src/worker/create-worker.js', () => ({ createSteersmanWorker: create }));
  vi.doMock('@temporalio/worker', async original => {
    const sdk = await original<object>();
    return { ...sdk, TransportError, Runtime: { install: () => undefined } };
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const played = await import('../../../src/worker/run-worker.js');
  serve = () => {
    // Else it would put threads of ours in the place of those of the process of the tests.
    vi.stubEnv('STEERSMAN_STACK_TRACES', 'on');
    return played.runWorker({ configDir: '/', taskQueue: 'q', isTrusted: () => false });
  };
});
afterEach(() => {
  close.mockClear();
  create.mockClear();
});
afterAll(() => {
  vi.restoreAllMocks();
  for (const name of [...MOCKED, '@temporalio/worker']) vi.doUnmock(name);
  vi.resetModules();
  for (const listener of process.listeners('uncaughtExceptionMonitor'))
    if (!monitors.includes(listener)) process.off('uncaughtExceptionMonitor', listener);
});

test('a worker: the server does not know its namespace → it says so with what to do, and closes what it opened (TE3)', async () => {
  create.mockRejectedValueOnce(new TransportError('There is no nowhere: Status { code: NotFound }'));
  await expect(serve()).rejects.toMatchObject({
    message: expect.stringMatching(/does not serve the namespace nowhere: There is no nowhere$/),
    remedy: expect.stringContaining('TEMPORAL_NAMESPACE'),
  });
  expect(close).toHaveBeenCalledOnce();
});

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGQUIT'] as const;

test.each(SIGNALS)('a worker: %s → it drains, and then ends in order (OP2)', async signal => {
  const before = process.listenerCount(signal);
  const steps: string[] = [];
  let drained = () => {};
  const running = new Promise<void>(resolve => {
    drained = resolve;
  });
  const shutdown = () => {
    steps.push('drains');
    setImmediate(drained);
  };
  const run = () => running.then(() => void steps.push('drained'));
  create.mockResolvedValueOnce({ worker: { run }, shutdown });
  close.mockImplementationOnce(async () => void steps.push('closed'));
  const serving = serve();
  // Before that, a signal ends the process at once.
  await eventually(() =>
    expect([create.mock.calls.length, process.listenerCount(signal)]).toEqual([1, before + 1]),
  );
  // Not as the test's own process would hear it.
  for (const listener of process.listeners(signal).slice(before)) listener(signal);
  await serving;
  expect(steps).toEqual(['drains', 'drained', 'closed']);
  for (const other of SIGNALS) process.off(other, shutdown);
});
