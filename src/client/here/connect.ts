/** Builds a client on its machine: with the local stack, the project's configuration and the store. */
import { ensureServer } from '@steersman/stack';
import type { Client } from '@temporalio/client';
import { resolveHome, usesLocalStack } from '../../shared/local/home.js';
import { localConnection } from '../../shared/local/probe.js';
import type { Report } from '../../shared/process/output.js';
import { temporalClient } from '../../shared/temporal/temporal-client.js';
import { openClient, type SteersmanClient } from '../client.js';
import { connectTo, ownTemporal, type Temporal } from '../connection/connect.js';
import { type StartOptions, startRequest } from '../start/start-run.js';
import { project } from './project.js';
import { storeIn } from './store-in.js';

export interface ConnectOptions {
  /** Receives lines of progress: fetching, starting, waiting, a replaced worker. Default: no report. */
  report?: (line: string) => void;
  /** Your own client of `@temporalio/client`, which stays open. Default: from the environment. */
  temporal?: { client: Client };
  /** Folder of the local stack. Default `STEERSMAN_HOME`, else this user's, or the checkout's. */
  home?: string;
  /** Ends the wait for the connection. */
  signal?: AbortSignal;
}

/**
 * Connects to the Temporal server that `TEMPORAL_ADDRESS`, `TEMPORAL_PROFILE` or `TEMPORAL_CONFIG_FILE` name, else to
 * the local stack, which it starts; the first time needs a download. Throws a `SteersmanError`: `unreachable` if
 * Temporal does not answer within 5 s, `configuration`, `host`, or `aborted`.
 */
export async function connect(options: ConnectOptions = {}): Promise<SteersmanClient> {
  const { report, signal, temporal } = options;
  const home = resolveHome(options.home);
  const open = (told: Report) => openTemporal({ report: told, home, client: temporal?.client });
  return openClient({ report, signal, open, kept: storeIn(home), project });
}

export interface OpenOptions {
  /** Receives lines of progress. */
  report: Report;
  /** Folder of the local stack. Default: `resolveHome()`. */
  home?: string | undefined;
  /** The caller's own client, which stays open. */
  client?: Client | undefined;
}

/**
 * Connects. On the local stack it starts the server first; the first time needs a download. Throws a SteersmanError if
 * Temporal does not answer within 5 s, or its configuration is wrong.
 */
export async function openTemporal({ report, home, client }: OpenOptions): Promise<Temporal> {
  if (client !== undefined) return ownTemporal(client);
  if (!usesLocalStack())
    return connectTo({
      remedy:
        'Check that it runs there and TEMPORAL_ADDRESS is right; or unset TEMPORAL_ADDRESS to use the local stack.',
    });
  const local = await ensureServer(resolveHome(home), { report });
  const connection = localConnection(local.address);
  const close = async () => {
    await connection.close();
    local.release();
  };
  return {
    client: temporalClient({ connection }),
    address: local.address,
    namespace: 'default',
    local,
    close,
  };
}

/**
 * Runs the checks of `start`, without starting anything and without a connection. Throws a SteersmanError `usage` that
 * names all faults of goal and options.
 */
export async function checkStart(goal: string, options: StartOptions = {}): Promise<void> {
  await startRequest(goal, options, { project, local: usesLocalStack() });
}
