/** Connects a worker to Temporal. */
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

/** @throws SteersmanError if Temporal can't be reached. */
export async function connect(config: ClientConnectConfig, address: string): Promise<Connected> {
  try {
    return await open(config, address);
  } catch (error) {
    throw (await connectionFault(address, config.connectionOptions, error)) ?? unreachable(address, error);
  }
}

/**
 * Waits for an unreachable Temporal without a limit, and reports it. A wrong address looks the same.
 * @throws SteersmanError if Temporal answers, but this connection can't work.
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
        `Temporal at ${address} cannot be reached${minutes > 0 ? ` for ${minutes} min` : ''}: ${found}. This worker waits for it; where the address is wrong, set TEMPORAL_ADDRESS.`,
      );
    }
    await delay(pauseMs);
  }
}

/** Returns the connection, or the reason why the server does not answer. @throws SteersmanError if it refuses. */
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
    // Other errors of this request are reported when the worker is created.
    if (!isAway(error)) return opened;
    await connection.close();
    return errorText(error);
  }
  return opened;
}

function unreachable(address: string, error: unknown): SteersmanError {
  return new SteersmanError(
    `Temporal at ${address} cannot be reached: ${errorText(error)}`,
    `Start it (${scriptCall('dev')} starts a local one), or set TEMPORAL_ADDRESS to where it runs.`,
  );
}

/** The SDK's native connection reports these only as text. */
const NOBODY_ANSWERS = /tcp connect error|dns error|transport error|timeout expired|timed out|unavailable/i;
const GRPC_AWAY: readonly number[] = [4, 14];

/** True if no server answers at present; false if it answers with a refusal or a wrong protocol. */
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

/** Compression is off on this machine: it costs time on both sides and saves no network traffic. */
export function nativeConnection(options: NativeConnectionOptions): Promise<NativeConnection> {
  const isHere = isLoopback(options.address ?? 'localhost');
  return NativeConnection.connect({ ...(isHere && { grpcCompression: { codec: 'none' } }), ...options });
}
