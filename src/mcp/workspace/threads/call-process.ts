/**
 * Work on what a page wrote, in a process of its own: a heap that is full ends it. In a thread it can end the whole
 * worker: not every allocation of the engine that fails is told to the thread's limit.
 */
import { fork } from 'node:child_process';
import { builtScript } from '../../../shared/package.js';
import { inTurn } from './call-thread.js';

export interface ProcessWork {
  /** Of `dist/mcp/workspace/threads`. */
  script: string;
  data: object;
  timeoutMs: number;
  heapMb: number;
  signal: AbortSignal;
}

/** What the process is sent; it ends itself at its time, too. */
export interface ProcessData<D> {
  data: D;
  timeoutMs: number;
}

export type ProcessAnswer = { value: unknown } | { error: string };

/** What the process sends. @throws Error for the model: out of time, out of memory. */
export function callProcess(work: ProcessWork): Promise<unknown> {
  return inTurn(() => inProcess(work));
}

async function inProcess({ script, data, timeoutMs, heapMb, signal }: ProcessWork): Promise<unknown> {
  signal.throwIfAborted();
  const child = fork(builtScript(`mcp/workspace/threads/${script}`), {
    env: {},
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await new Promise((resolve, reject) => {
      const late = () =>
        reject(new Error(`Ended after ${timeoutMs / 1_000} s: that is all the time it has.`));
      child.once('message', (answer: ProcessAnswer) =>
        'error' in answer ? reject(new Error(answer.error)) : resolve(answer.value),
      );
      child.once('error', reject);
      child.once('exit', () => reject(new Error('It ended without an answer: too much for its memory.')));
      child.once('spawn', () => child.send({ data, timeoutMs } satisfies ProcessData<object>));
      over.addEventListener('abort', () => (signal.aborted ? reject(signal.reason) : late()));
    });
  } finally {
    child.kill('SIGKILL');
  }
}
