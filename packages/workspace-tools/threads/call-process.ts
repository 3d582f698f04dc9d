/**
 * Work on what a page or a PDF wrote, in a process of its own: a heap that is full ends it. In a thread it can end the
 * whole worker: not every allocation of the engine that fails is told to the thread's limit.
 */

import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { errorText } from 'steersman/base';
import { builtBeside, withinTime } from 'steersman/shared';
import { type Answer, inTurn, type Work } from './call-thread.js';

/** What the process is sent; it ends itself at its time, too. */
type Sent = Pick<Work, 'data' | 'timeoutMs'>;

/** What the process answers. @throws Error for the model: out of time, out of memory. */
export function callProcess(work: Work): Promise<unknown> {
  return inTurn(() => inProcess(work));
}

async function inProcess({ script, data, timeoutMs, heapMb, signal }: Work): Promise<unknown> {
  signal.throwIfAborted();
  const child = fork(builtBeside(import.meta.url, script), {
    env: {},
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const over = withinTime(timeoutMs, signal);
  try {
    return await new Promise((resolve, reject) => {
      const late = () =>
        reject(new Error(`Ended after ${timeoutMs / 1_000} s: that is all the time it has.`));
      child.once('message', (answer: Answer) =>
        'error' in answer ? reject(new Error(answer.error)) : resolve(answer.value),
      );
      child.once('error', reject);
      child.once('exit', () => reject(new Error('It ended without an answer: too much for its memory.')));
      child.once('spawn', () => child.send({ data, timeoutMs } satisfies Sent));
      over.addEventListener('abort', () => (signal.aborted ? reject(signal.reason) : late()));
    });
  } finally {
    child.kill('SIGKILL');
  }
}

/** What the script of a process does with what it is sent. */
export function answerCall(work: (data: unknown) => unknown): void {
  process.once('message', async ({ data, timeoutMs }: Sent) => {
    // Who would end it may be gone; and while it works it hears nothing.
    const end =
      'const { workerData: [pid, ms] } = require("worker_threads"); setTimeout(() => process.kill(pid, 9), ms);';
    new Worker(end, { eval: true, workerData: [process.pid, timeoutMs] }).unref();
    const answer: Answer = await Promise.resolve(data)
      .then(work)
      .then(
        value => ({ value }),
        error => ({ error: errorText(error) }),
      );
    process.send?.(answer, () => process.exit());
  });
}
