/** The background workers of a local stack, which are played: what follows when one dies, and when their owner does. */
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Guest } from '../../../packages/stack/worker-pool.js';
import { whenOwnerIsGone } from '../../../src/shared/local/protocol.js';
import { eventually } from '../../support/wait.js';

/** As much of a child process as its owner looks at. */
class Child extends EventEmitter {
  exitCode: number | null = null;
  signalCode = null;
  readonly pid = 1_000_000 + started.length;

  says(told: object): void {
    this.emit('message', told);
  }

  dies(): void {
    this.exitCode = 1;
    this.emit('exit', 1, null);
  }
}

const started: Child[] = [];
const queues: (string | undefined)[] = [];
/** What the next ones do as soon as they are there. */
let begins = (child: Child) => child.says({ ready: true });
let home = '';
let pool: InstanceType<typeof import('../../../packages/stack/worker-pool.js').WorkerPool>;
beforeAll(() => {
  vi.resetModules();
  vi.doMock('node:child_process', async original => ({
    ...(await original<object>()),
    spawn(_program: string, _args: string[], { env }: { env: NodeJS.ProcessEnv }) {
      const child = new Child();
      started.push(child);
      queues.push(env.STEERSMAN_TASK_QUEUE);
      // Whoever started it listens by then.
      queueMicrotask(() => begins(child));
      return child;
    },
  }));
});
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'pool-'));
  started.length = 0;
  queues.length = 0;
  begins = child => child.says({ ready: true });
  const { WorkerPool } = await import('../../../packages/stack/worker-pool.js');
  pool = new WorkerPool(home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));
afterAll(() => {
  vi.doUnmock('node:child_process');
  vi.resetModules();
});

/** A terminal, and the lines that it gets. */
function terminal(): { guest: Guest; lines: string[] } {
  const lines: string[] = [];
  const tell: Guest['tell'] = said => {
    if ('line' in said) lines.push(said.line);
  };
  return { guest: { socket: { destroyed: false } as Guest['socket'], tell }, lines };
}

const request = {
  ...{ fingerprint: 'abcdef01', taskQueue: null, program: 'node', args: [], cwd: '/', env: {}, folder: null },
  remedy: 'Go on with: --resume-open.',
};
const BEGUN = 'Starting a worker …';
const REPLACED = 'The worker of this run has died. Another is started and goes on where it was.';

test('a worker: it dies under a terminal → another on its queue, and said; after three it is given up, with how to go on (TE2)', async () => {
  const { guest, lines } = terminal();
  const { taskQueue } = await pool.give(request, 'here:1', guest);
  for (let deaths = 1; deaths <= 4; deaths += 1) {
    started.at(-1)?.dies();
    await eventually(() => expect(lines).toHaveLength(1 + deaths));
  }
  expect(lines.slice(0, 4)).toEqual([BEGUN, REPLACED, REPLACED, REPLACED]);
  expect(lines[4]).toMatch(/^The worker has died 4 times\. Go on with: --resume-open\. Its log: /);
  expect([queues, pool.state]).toEqual([Array(4).fill(taskQueue), []]);
});

test('a worker: it dies, and the next one can not start → its reason, and how to go on (TE2)', async () => {
  const { guest, lines } = terminal();
  await pool.give(request, 'here:1', guest);
  begins = child => {
    child.says({ failure: { message: 'No model.', remedy: '', code: 'host' } });
    child.dies();
  };
  started[0]?.dies();
  await eventually(() => expect(lines).toHaveLength(3));
  expect(lines[2]).toMatch(/^No other worker could be started: No model\. Go on with: --resume-open\./);
});

test('a worker: it can not start → its own reason (TE3); one that nobody uses dies → no other is started', async () => {
  const { guest, lines } = terminal();
  begins = child => {
    child.says({ failure: { message: 'No model.', remedy: 'Set a key.', code: 'usage' } });
    child.dies();
  };
  await expect(pool.give(request, 'here:1', guest)).rejects.toMatchObject({
    ...{ message: 'No model.', remedy: 'Set a key.', code: 'usage' },
  });
  begins = child => child.says({ ready: true });
  await pool.give(request, 'here:1', guest);
  pool.release(guest);
  started.at(-1)?.dies();
  await eventually(() => expect(pool.state).toEqual([]));
  expect([started.length, lines]).toEqual([2, [BEGUN, BEGUN]]);
});

test('a worker: its owner goes, or is gone when it begins → it ends (TE2)', () => {
  const ends = vi.fn();
  const heard = process.listeners('disconnect').length;
  // The channel of this process is that of the tests, which it must not leave.
  const own = ['connected', 'channel'].map(
    name => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  const is = (connected: boolean) =>
    Object.defineProperties(process, {
      connected: { value: connected, configurable: true },
      channel: { value: undefined, configurable: true },
    });
  try {
    is(true);
    whenOwnerIsGone(ends);
    expect(ends).not.toHaveBeenCalled();
    for (const listener of process.listeners('disconnect').slice(heard)) listener();
    expect(ends).toHaveBeenCalledTimes(1);
    is(false);
    whenOwnerIsGone(ends);
    expect(ends).toHaveBeenCalledTimes(2);
  } finally {
    process.off('disconnect', ends);
    for (const [name, descriptor] of own) {
      Reflect.deleteProperty(process, name);
      if (descriptor) Object.defineProperty(process, name, descriptor);
    }
  }
});
