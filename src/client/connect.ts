/** The client's way to Temporal: the server that the environment names, else the local stack's. */

import { ensureServer, type LocalStack } from '@steersman/stack';
import type { Client, ConnectionOptions } from '@temporalio/client';
import { Connection } from '@temporalio/client';
import { errorText } from '../base/text/error-text.js';
import type { Place } from '../config/trust/kept-permissions.js';
import { SteersmanError } from '../shared/errors.js';
import { resolveHome, usesLocalStack } from '../shared/local/home.js';
import { isLoopback, localConnection } from '../shared/local/probe.js';
import type { Report } from '../shared/output.js';
import { connectionFault, temporalConfig } from '../shared/temporal/connection-fault.js';
import { retryInterceptors, temporalClient } from '../shared/temporal-client.js';

/** A connected client. */
export interface Temporal {
  client: Client;
  /** host:port. */
  address: string;
  namespace: string;
  /** The local stack, or null where the environment names another. */
  local: LocalStack | null;
  /** Closes the connection and gives the local server back. */
  close(): Promise<void>;
  /** Of a call of the client: once it is aborted, nothing with an effect is sent. */
  signal?: AbortSignal;
}

const CONNECT_TIMEOUT_MS = 5_000;

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
  if (!usesLocalStack()) return connectRemote();
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

function ownTemporal(client: Client): Temporal {
  const { connection } = client;
  const address = connection instanceof Connection ? connection.options.address : 'the given client';
  return { client, address, namespace: client.options.namespace, local: null, close: async () => {} };
}

async function connectRemote(): Promise<Temporal> {
  const { options, namespace, address } = remoteOptions();
  try {
    const connection = await Connection.connect(options);
    const client = temporalClient({ connection, namespace });
    return { client, address, namespace, local: null, close: () => connection.close() };
  } catch (error) {
    const known = await connectionFault(address, options, error);
    if (known) throw known;
    throw new SteersmanError(
      `Temporal at ${address} can not be reached: ${errorText(error)}`,
      'Check that it runs there and TEMPORAL_ADDRESS is right; or unset TEMPORAL_ADDRESS to use the local stack.',
      'unreachable',
    );
  }
}

function remoteOptions(): { options: ConnectionOptions; namespace: string; address: string } {
  const { connectionOptions, namespace } = temporalConfig();
  const { tls, apiKey, metadata, address = 'localhost:7233' } = connectionOptions;
  const options: ConnectionOptions = {
    address,
    connectTimeout: CONNECT_TIMEOUT_MS,
    interceptors: retryInterceptors,
    // gRPC honours proxy variables even for this machine's own addresses.
    ...(isLoopback(address) ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {}),
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { options, namespace: namespace ?? 'default', address };
}

/** Where a run works, for what a person has allowed there. */
export function placeOf({ local, address, namespace }: Temporal, workspace: string): Place {
  return { server: local === null ? `${address}/${namespace}` : null, workspace };
}

/** The run's page in the Web UI, where its address is known: the local stack and Temporal Cloud. */
export function webUiLink({ local, address, namespace }: Temporal, id: string): string | null {
  const path = `namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
  if (local !== null) return `${local.webUi}/${path}`;
  return /\.(tmprl\.cloud|temporal\.io)(:\d+)?$/.test(address) ? `https://cloud.temporal.io/${path}` : null;
}
