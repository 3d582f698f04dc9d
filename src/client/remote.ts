/** `steersman-client`: a client for a remote Temporal server, without a local stack. */
import type { Client } from '@temporalio/client';
import { SteersmanError } from '../shared/process/errors.js';
import { temporalConfig } from '../shared/temporal/connection-fault.js';
import { openClient, type SteersmanClient } from './client.js';
import type { ReadableStore } from './connection/client-scope.js';
import { connectTo, ownTemporal } from './connection/connect.js';
import { type StartOptions, startRequest } from './start/start-run.js';

export * from './exports.js';

export interface ConnectOptions {
  /** host:port of Temporal. Default: from `TEMPORAL_ADDRESS`, or the profile of `TEMPORAL_PROFILE`. */
  address?: string;
  /** Your own client of `@temporalio/client`, which stays open. */
  temporal?: { client: Client };
  /** The store of the runs, such as `storeHere()` of `steersman-client/store`. Default: only Temporal is asked. */
  store?: ReadableStore;
  /** Receives lines of progress. Default: no report. */
  report?: (line: string) => void;
  /** Ends the wait for the connection. */
  signal?: AbortSignal;
}

/**
 * Connects to Temporal. Namespace, API key and TLS come from Temporal's own variables, or the profile. Throws a
 * `SteersmanError`: `configuration` if no server is named, `unreachable` if it does not answer within 5 s, or
 * `aborted`.
 */
export async function connect(options: ConnectOptions = {}): Promise<SteersmanClient> {
  const { address, temporal, store = null, report, signal } = options;
  const open = async () => (temporal ? ownTemporal(temporal.client) : connectTo(named(address)));
  return openClient({ report, signal, open, kept: store, project: null });
}

/**
 * Runs the checks of `start`, without starting anything and without a connection. Throws a SteersmanError `usage` that
 * names all faults of goal and options. Modes, models and the workspace are checked by the worker.
 */
export async function checkStart(goal: string, options: StartOptions = {}): Promise<void> {
  await startRequest(goal, options, { project: null, local: false });
}

const REMEDY = 'Check that it runs there, and that the address is right.';

function named(address = temporalConfig().connectionOptions.address) {
  if (address !== undefined) return { address, remedy: REMEDY };
  throw new SteersmanError(
    'No Temporal server is named, and this client has no local stack.',
    'Set TEMPORAL_ADDRESS to host:port, give `connect` an `address`, or name a profile with TEMPORAL_PROFILE.',
    'configuration',
  );
}
