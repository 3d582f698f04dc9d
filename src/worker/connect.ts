/** A worker's way to Temporal. */
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { ClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, type NativeConnectionOptions, TransportError } from '@temporalio/worker';
import { errorText } from '../base/text/error-text.js';
import { isLoopback } from '../shared/local/loopback.js';
import { scriptCall } from '../shared/process/called-as.js';
import { env } from '../shared/process/env.js';
import { SteersmanError } from '../shared/process/errors.js';
import { connectionFault } from '../shared/temporal/connection-fault.js';

export interface Connected {
  connection: NativeConnection;
  namespace: string;
}

const ASK_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const SAY_EVERY_MS = 60_000;

/** @throws SteersmanError where Temporal can not be reached. */
export async function connect(config: ClientConnectConfig, address: string): Promise<Connected> {
  try {
    return await open(config, address);
  } catch (error) {
    throw (await connectionFault(address, config.connectionOptions, error)) ?? unreachable(address, error);
  }
}

/**
 * Waits for a Temporal that is away, as long as it takes, and says so. A wrong address looks the same.
 * @throws SteersmanError where Temporal is there, and this connection to it can not work.
 */
export async function connectWhenThere(
  config: ClientConnectConfig,
  address: string,
  report: (line: string) => void,
): Promise<Connected> {
  const since = performance.now();
  let sayAt = since;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const found = await openOrWhy(config, address);
    if (typeof found !== 'string') return found;
    const now = performance.now();
    if (now >= sayAt) {
      sayAt = now + SAY_EVERY_MS;
      const minutes = Math.round((now - since) / 60_000);
      report(
        `Temporal at ${address} can not be reached${minutes > 0 ? ` for ${minutes} min` : ''}: ${found}. This worker waits for it; where the address is wrong, set TEMPORAL_ADDRESS.`,
      );
    }
    await delay(pauseMs);
  }
}

/** Or why nobody answers. @throws SteersmanError where somebody does, and it can not work. */
async function openOrWhy(config: ClientConnectConfig, address: string): Promise<Connected | string> {
  let opened: Connected;
  try {
    opened = await open(config, address);
  } catch (error) {
    const known = await connectionFault(address, config.connectionOptions, error);
    if (known) throw known;
    if (isAway(error)) return errorText(error);
    throw unreachable(address, error);
  }
  const { connection, namespace } = opened;
  try {
    const asked = () => connection.workflowService.describeNamespace({ namespace });
    await connection.withDeadline(Date.now() + ASK_TIMEOUT_MS, asked);
  } catch (error) {
    // What else it may answer is said where the worker is made.
    if (!isAway(error)) return opened;
    await connection.close();
    return errorText(error);
  }
  return opened;
}

function unreachable(address: string, error: unknown): SteersmanError {
  return new SteersmanError(
    `Temporal at ${address} can not be reached: ${errorText(error)}`,
    `Start it (${scriptCall('dev')} starts a local one), or set TEMPORAL_ADDRESS to where it runs.`,
  );
}

/** As the SDK's native connection says it, in words alone. */
const NOBODY_ANSWERS = /tcp connect error|dns error|transport error|timeout expired|timed out|unavailable/i;
const GRPC_AWAY: readonly number[] = [4, 14];

/** Whether nobody answers there at all, for now; else what answers is not, or does not let in, what was asked for. */
export function isAway(error: unknown): boolean {
  if (isGrpcServiceError(error)) return GRPC_AWAY.includes(error.code);
  return error instanceof TransportError && NOBODY_ANSWERS.test(error.message);
}

async function open(
  { connectionOptions, namespace }: ClientConnectConfig,
  address: string,
): Promise<Connected> {
  const connection = await nativeConnection({ ...connectionOptions, address });
  return { connection, namespace: namespace ?? env.temporalNamespace() ?? 'default' };
}

/** On this machine, what is sent is not compressed: that costs both sides time, and saves no network any. */
export function nativeConnection(options: NativeConnectionOptions): Promise<NativeConnection> {
  const isHere = isLoopback(options.address ?? 'localhost');
  return NativeConnection.connect({ ...(isHere && { grpcCompression: { codec: 'none' } }), ...options });
}
