/** Ending a wait by a signal, and errors that callers can tell apart. */
import { errorText } from '../../base/text/error-text.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { ClientScope } from './client-scope.js';
import { explainError } from './grpc-errors.js';

export interface Abortable {
  /** Ends the wait with a SteersmanError `aborted`: nothing more is sent, and what was sent takes effect. */
  signal?: AbortSignal | undefined;
}

/**
 * The outcome of `work`, or a SteersmanError `aborted` at once when the signal says so, or the client is closed; of one
 * that is aborted already, nothing is done. `work` looks at its signal before each request with an effect. What
 * Temporal or the machine refuses comes as a SteersmanError too; anything else that is thrown is a fault and stays as
 * it is. Requests under way end by their own limits: the SDK would leave a listener at the signal with each of them.
 */
export async function abortable<T>(
  scope: Pick<ClientScope, 'closing'>,
  { signal: given }: Abortable,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = endOf(scope, given);
  if (signal.aborted) throw notBegun(signal);
  try {
    return await untilAborted(work(signal), signal);
  } catch (error) {
    if (signal.aborted) throw abortedError(signal);
    throw explainError(error) ?? error;
  }
}

/** One of its own for each wait: what is given may live as long as the program, and many may wait by it. */
function endOf(
  { closing }: Pick<ClientScope, 'closing'>,
  ...given: (AbortSignal | undefined)[]
): AbortSignal {
  return AbortSignal.any([closing, ...given.filter(signal => signal !== undefined)]);
}

export function abortedError({ reason }: AbortSignal): SteersmanError {
  if (reason instanceof SteersmanError) return reason;
  const why = errorText(reason);
  return new SteersmanError(`The wait was ended: ${why}. What was sent before takes effect.`, '', 'aborted');
}

function notBegun({ reason }: AbortSignal): SteersmanError {
  if (reason instanceof SteersmanError) return reason;
  return new SteersmanError(`Nothing was done: ${errorText(reason)}.`, '', 'aborted');
}

/** Resolves when the signal is aborted; `forget` lets go of it. */
function abortionOf(signal: AbortSignal): { aborted: Promise<null>; forget: () => void } {
  let onAbort = () => {};
  const aborted = new Promise<null>(resolve => {
    onAbort = () => resolve(null);
  });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return { aborted, forget: () => signal.removeEventListener('abort', onAbort) };
}

/** Settles as `work` does, but rejects when the signal is aborted first. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { aborted, forget } = abortionOf(signal);
  const failed = aborted.then(() => Promise.reject(abortedError(signal)));
  return Promise.race([work, failed]).finally(forget);
}

/**
 * The values of the items that `start` gives until the signal is aborted: at once, also while the next one is waited
 * for. So does `return`, which of a generator alone would wait for that next one, such as at a gate for a day.
 */
export function leavable<T>(
  scope: Pick<ClientScope, 'closing'>,
  given: AbortSignal | undefined,
  start: (signal: AbortSignal) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  if (scope.closing.aborted) throw notBegun(scope.closing);
  const left = new AbortController();
  const signal = endOf(scope, given, left.signal);
  const items = itemsUntilAborted(start(signal), signal);
  const leave = items.return.bind(items);
  return Object.assign(items, {
    return: (value: unknown) => {
      left.abort();
      return leave(value);
    },
  });
}

/** The values of `items` until the signal is aborted: at once, also while the next one is waited for. */
export async function* itemsUntilAborted<T>(
  items: AsyncGenerator<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  if (signal === undefined) return yield* items;
  const { aborted, forget } = abortionOf(signal);
  try {
    for (;;) {
      const next = await Promise.race([items.next(), aborted]);
      // Not the caller's wish, but a fault that it must hear of.
      if (signal.reason instanceof SteersmanError) throw signal.reason;
      if (next === null || next.done || signal.aborted) return;
      yield next.value;
    }
  } finally {
    forget();
  }
}
