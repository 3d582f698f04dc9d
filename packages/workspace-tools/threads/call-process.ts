/**
 * Processes foreign pages and PDFs in a separate process, which dies if its heap is full. In a thread this could end
 * the whole worker: the engine does not report every failed allocation to the thread's limit.
 */

import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { errorText } from 'steersman/base';
import { builtBeside, withinTime } from 'steersman/shared';
import { type Answer, inTurn, type Work } from './call-thread.js';

/** The message to the process, which also ends itself at the time limit. */
type Sent = Pick<Work, 'data' | 'timeoutMs'>;

/** Returns the result of the process. @throws Error for the model: out of time, out of memory. */
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
      const late = () => reject(new Error(`Ended after ${timeoutMs / 1_000} s: a call may not take longer.`));
      child.once('message', (answer: Answer) =>
        'error' in answer ? reject(new Error(answer.error)) : resolve(answer.value),
      );
      child.once('error', reject);
      child.once('exit', () =>
        reject(new Error('It ended without an answer, because it needed too much memory.')),
      );
      child.once('spawn', () => child.send({ data, timeoutMs } satisfies Sent));
      over.addEventListener('abort', () => (signal.aborted ? reject(signal.reason) : late()));
    });
  } finally {
    child.kill('SIGKILL');
  }
}

/** Runs in the process: answers the message with the result of `work`. */
export function answerCall(work: (data: unknown) => unknown): void {
  process.once('message', async ({ data, timeoutMs }: Sent) => {
    // The parent may be gone, and busy code hears no signal: a thread kills this process.
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
