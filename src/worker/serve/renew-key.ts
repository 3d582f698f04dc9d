/** Renews the API key of a worker's connection to Temporal, and reports when it is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { errorText } from '../../base/text/error-text.js';

const LOOK_EVERY_MS = 30_000;
const ASK_TIMEOUT_MS = 10_000;
/** PERMISSION_DENIED and UNAUTHENTICATED. */
const REFUSED: readonly number[] = [7, 16];

export interface KeyOptions {
  connection: Pick<NativeConnection, 'setApiKey' | 'workflowService' | 'withDeadline'>;
  namespace: string;
  /** Returns the current key of the variable or the profile. */
  read(): string | undefined;
  /** Receives a line for people. */
  report(line: string): void;
}

/** Checks every 30 s until `signal` is aborted. Without a key at the start there are no checks. */
export async function renewKey(options: KeyOptions, signal: AbortSignal): Promise<void> {
  if (options.read() === undefined) return;
  const look = keyLook(options);
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, null, { signal, ref: false }).catch(() => undefined);
    if (!signal.aborted) await look();
  }
}

/** Returns a check: it sets a changed key, and reports when the server refuses the key and when it accepts it again. */
export function keyLook({ connection, namespace, read, report }: KeyOptions): () => Promise<void> {
  let key = readOr(read, undefined);
  let isRefused = false;
  return async () => {
    const found = readOr(read, key);
    if (found !== key && found !== undefined) {
      key = found;
      await connection.setApiKey(found);
    }
    const why = await refusal(connection, namespace);
    if (why !== null && !isRefused)
      report(
        `Temporal refuses the API key of this worker: ${why}. It gets no work until you renew the key. A key in a profile (TEMPORAL_CONFIG_FILE) is read again within 30 s. After a change of TEMPORAL_API_KEY, restart the worker. No run is lost.`,
      );
    if (why === null && isRefused) report('Temporal takes the API key of this worker again.');
    isRefused = why !== null;
  };
}

/** The profile may be read while it is being written. */
function readOr(read: () => string | undefined, otherwise: string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Returns null if the key is not refused; the server may also be unreachable. */
async function refusal(connection: KeyOptions['connection'], namespace: string): Promise<string | null> {
  try {
    const asked = () => connection.workflowService.describeNamespace({ namespace });
    await connection.withDeadline(Date.now() + ASK_TIMEOUT_MS, asked);
    return null;
  } catch (error) {
    return isGrpcServiceError(error) && REFUSED.includes(error.code) ? errorText(error) : null;
  }
}
