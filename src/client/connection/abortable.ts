/** Ends a wait by a signal, with errors that callers can distinguish. */
import { errorText } from '../../base/text/error-text.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { onAbort, unlessOver } from '../../shared/waits.js';
import type { ClientScope } from './client-scope.js';
import { explainError } from './grpc-errors.js';

export interface Abortable {
  /** Ends the wait with a SteersmanError `aborted`: nothing more is sent, and earlier requests take effect. */
  signal?: AbortSignal | undefined;
}

/**
 * Returns the outcome of `work`, or throws a SteersmanError `aborted` at once when the signal aborts or the client is
 * closed; if it is aborted already, `work` is not called. `work` checks its signal before each request with an effect.
 * Refusals of Temporal or the machine become SteersmanErrors too; other errors are faults and stay unchanged. Requests
 * in flight end by their own limits, because the SDK would leak a listener of the signal for each.
 */
export async function abortable<T>(
  scope: Pick<ClientScope, 'closing'>,
  { signal: given }: Abortable,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = endOf(scope, given);
  if (signal.aborted) throw notBegun(signal);
  try {
    return await unlessOver(signal, work(signal));
  } catch (error) {
    if (signal.aborted) throw abortedError(signal);
    throw explainError(error) ?? error;
  }
}

/** Creates a new signal for each wait, because the caller's signal may live as long as the program. */
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

/** Resolves when the signal is aborted; `forget` removes the listener. */
function abortionOf(signal: AbortSignal): { aborted: Promise<null>; forget: () => void } {
  let forget = () => {};
  const aborted = new Promise<null>(resolve => {
    forget = onAbort(signal, () => resolve(null));
  });
  return { aborted, forget };
}

/**
 * Yields the items of `start` until the signal is aborted, even while the next item is pending. `return` ends it at
 * once too; a plain generator's would wait for the next item, such as at a gate for a day.
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

/** Yields `items` until the signal is aborted, even while the next item is pending. */
export async function* itemsUntilAborted<T>(
  items: AsyncGenerator<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  if (signal === undefined) return yield* items;
  const { aborted, forget } = abortionOf(signal);
  try {
    for (;;) {
      const next = await Promise.race([items.next(), aborted]);
      // The abort is a fault that the caller must receive, not its own wish.
      if (signal.reason instanceof SteersmanError) throw signal.reason;
      if (next === null || next.done || signal.aborted) return;
      yield next.value;
    }
  } finally {
    forget();
  }
}
