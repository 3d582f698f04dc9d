/** Puts a client together on its machine: with the local stack, the project's configuration and the store. */
import { ensureServer } from '@steersman/stack';
import type { Client } from '@temporalio/client';
import { resolveHome, usesLocalStack } from '../../shared/local/home.js';
import { localConnection } from '../../shared/local/probe.js';
import type { Report } from '../../shared/process/output.js';
import { temporalClient } from '../../shared/temporal/temporal-client.js';
import { openClient, type SteersmanClient } from '../client.js';
import { connectTo, ownTemporal, type Temporal } from '../connection/connect.js';
import { type StartOptions, startRequest } from '../start/start-run.js';
import { keptIn } from './kept-in.js';
import { project } from './project.js';

export interface ConnectOptions {
  /** Gets lines of progress: fetching, starting, waiting, a worker that was replaced. Default: nobody does. */
  report?: (line: string) => void;
  /** A client of `@temporalio/client` of your own, which stays open. Default: as the environment says. */
  temporal?: { client: Client };
  /** Folder of the local stack. Default `STEERSMAN_HOME`, else that of this user, or of the checkout. */
  home?: string;
  /** Ends the waiting for the connection. */
  signal?: AbortSignal;
}

/**
 * Connects to the Temporal server that `TEMPORAL_ADDRESS`, `TEMPORAL_PROFILE` or `TEMPORAL_CONFIG_FILE` name, else to
 * the local stack, which it starts: that takes a download the first time. Throws a `SteersmanError`: `unreachable`
 * when Temporal does not answer within 5 s, `configuration`, `host`, or `aborted`.
 */
export async function connect(options: ConnectOptions = {}): Promise<SteersmanClient> {
  const { report, signal, temporal } = options;
  const home = resolveHome(options.home);
  const open = (told: Report) => openTemporal({ report: told, home, client: temporal?.client });
  return openClient({ report, signal, open, kept: keptIn(home), project });
}

export interface OpenOptions {
  /** Gets lines of progress. */
  report: Report;
  /** Folder of the local stack. Default: `resolveHome()`. */
  home?: string | undefined;
  /** A client of the caller's own, which stays open. */
  client?: Client | undefined;
}

/**
 * Connects; on the local stack it starts the server first, which takes a download the first time. Throws a
 * SteersmanError when Temporal does not answer within 5 s, or its configuration is wrong.
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
 * As `start` does before it starts anything, and without a connection: throws a SteersmanError `usage` that names all
 * that is wrong with goal and options.
 */
export async function checkStart(goal: string, options: StartOptions = {}): Promise<void> {
  await startRequest(goal, options, { project, local: usesLocalStack() });
}
