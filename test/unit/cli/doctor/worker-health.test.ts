/** The health check of workers, with Temporal played: what it looks at, and how it exits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

const CONNECT = '../../../../src/client/here/connect.js';
const RUNS = '../../../../src/shared/local/open-runs.js';
const POLLER = `1.0@here.${process.pid}@${hostname()}`;
/** Nobody answers there. */
const AWAY = 'postgresql://me:pass-of-mine@127.0.0.1:9/kept';

const dir = mkdtempSync(join(tmpdir(), 'health-'));
const argv = [...process.argv];
const { exitCode } = process;
let pollers: string[] = [];
beforeAll(() => {
  vi.doMock(CONNECT, () => ({ openTemporal: async () => ({ client: {}, close: async () => undefined }) }));
  vi.doMock(RUNS, () => ({ recentPollers: async () => pollers }));
});
afterEach(() => {
  process.argv = [...argv];
  process.exitCode = exitCode;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => {
  for (const mocked of [CONNECT, RUNS]) vi.doUnmock(mocked);
  vi.resetModules();
  rmSync(dir, { recursive: true, force: true });
});

/** Its line and its exit code, for a worker that polls. */
async function health(env: Record<string, string>, yaml = '') {
  vi.resetModules();
  const config = mkdtempSync(join(dir, 'config-'));
  writeFileSync(join(config, 'steersman.yaml'), yaml);
  process.argv = ['node', 'worker-health.js', '--config', config];
  const all = { TEMPORAL_ADDRESS: 'here:1', STEERSMAN_HOME: join(dir, 'home'), ...env };
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  let said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    said += String(text);
    return true;
  });
  await import('../../../../packages/cli/doctor/worker-health.js');
  return { said, code: process.exitCode };
}

test.each<[string, Record<string, string>, string, string]>([
  ['a folder that cannot be written', { STEERSMAN_HOME: join(dir, 'file') }, '', 'cannot be written'],
  ['a database of DATABASE_URL, and nobody is there', { DATABASE_URL: AWAY }, '', 'DATABASE_URL'],
  [
    'a database of the variable that the configuration names, which is not set',
    {},
    'store: { kind: postgres, urlVariable: MY_STORE }',
    'MY_STORE',
  ],
])(
  'health check: the store is %s → 1, with what to do and no password (OP3)',
  async (_what, env, yaml, word) => {
    writeFileSync(join(dir, 'file'), '');
    pollers = [POLLER];
    const { said, code } = await health(env, yaml);
    expect([code, said.includes(word), said.includes('pass-of-mine')]).toEqual([1, true, false]);
  },
);

test('health check: its store works and the worker polls → 0; nobody polls → 1, with the queue (OP3)', async () => {
  pollers = [POLLER];
  expect(await health({})).toEqual({ said: 'ok\n', code: 0 });
  pollers = [];
  expect(await health({ STEERSMAN_TASK_QUEUE: 'no-such-queue' })).toEqual({
    ...{ said: expect.stringContaining('no-such-queue'), code: 1 },
  });
});
