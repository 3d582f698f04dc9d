/** Processes input of a model or a page in a separate thread, which is terminated at a deadline. */
import { once } from 'node:events';
import { MessageChannel, type MessagePort, type TransferListItem, Worker } from 'node:worker_threads';
import { builtBeside, LATE, onAbort, within } from 'steersman/shared';

/** Work for a thread, or for a process. */
export interface Work {
  /** File name of the script, which is next to this module. */
  script: string;
  data: object;
  timeoutMs: number;
  /** Limit for the thread's own heap, not counting `data`. */
  heapMb: number;
  signal: AbortSignal;
}

interface ThreadWork extends Work {
  /** Answers a question of the thread, which blocks meanwhile. An error is thrown in the thread. */
  answer?: (question: unknown) => Promise<unknown>;
}

/** The thread's data and its channel for questions: `port` has the answer when `flag` is 1. */
export interface ThreadData<D> {
  data: D;
  port: MessagePort;
  flag: Int32Array<SharedArrayBuffer>;
}

export type Answer = { value: unknown } | { error: string };

/** Time limit for the start of a thread, on a busy machine. */
const START_MS = 15_000;
const MOST_THREADS = 4;
let threads = 0;
/** Limit for threads that were terminated but still run: native code of the engine can't be interrupted. */
const MOST_STUCK = 8;
const END_MS = 500;
let stuck = 0;

/** Terminates the thread. The caller waits at most `END_MS` for its end. */
async function endThread(worker: Worker): Promise<void> {
  const ended = worker.terminate();
  if ((await within(END_MS, ended, LATE)) !== LATE) return;
  stuck += 1;
  worker.unref();
  void ended.finally(() => {
    stuck -= 1;
  });
}
const waiting: (() => void)[] = [];

/** Returns the message that the thread posts. @throws Error for the model: out of time, out of memory. */
export function callThread(work: ThreadWork): Promise<unknown> {
  if (stuck >= MOST_STUCK)
    return Promise.reject(
      new Error('Too many earlier calls are still running and could not be ended. Try again later.'),
    );
  return inTurn(() => inThread(work));
}

/** Limits the number of concurrent threads and processes. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (threads >= MOST_THREADS) await new Promise<void>(resolve => waiting.push(resolve));
  threads += 1;
  try {
    return await work();
  } finally {
    threads -= 1;
    waiting.shift()?.();
  }
}

async function inThread({ script, data, timeoutMs, heapMb, signal, answer }: ThreadWork): Promise<unknown> {
  signal.throwIfAborted();
  const { port1, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(builtBeside(import.meta.url, script), {
    workerData: { data, port: port2, flag } satisfies ThreadData<object>,
    transferList: [port2],
    env: {},
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });
  port1.on('message', async question => {
    const answered: Answer = await Promise.resolve(answer?.(question)).then(
      value => ({ value }),
      error => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    const bytes = 'value' in answered && answered.value instanceof Uint8Array ? answered.value : null;
    port1.postMessage(answered, bytes === null ? [] : ([bytes.buffer] as TransferListItem[]));
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
  const over = new AbortController();
  const release = onAbort(signal, () => over.abort(signal.reason));
  let timer = setTimeout(
    () => over.abort(new Error('It did not start: this machine is too busy.')),
    START_MS,
  );
  worker.once('online', () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => over.abort(new Error(`Ended after ${timeoutMs / 1_000} s: a call may not take longer.`)),
      timeoutMs,
    );
  });
  const ended = once(worker, 'exit').then(() => {
    throw new Error('It ended without an answer.');
  });
  const aborted = new Promise<never>((_resolve, reject) =>
    over.signal.addEventListener('abort', () => reject(over.signal.reason)),
  );
  try {
    const answered = once(worker, 'message').then(([value]) => value);
    return await Promise.race([answered, ended, aborted]);
  } catch (error) {
    throw isOutOfMemory(error) ? new Error('Out of memory.') : error;
  } finally {
    clearTimeout(timer);
    release();
    ended.catch(() => undefined);
    aborted.catch(() => undefined);
    port1.close();
    await endThread(worker);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
