/** Connects a client to the Temporal server that the environment or the program names. */
import type { Client, ConnectionOptions } from '@temporalio/client';
import { Connection } from '@temporalio/client';
import { errorText } from '../../base/text/error-text.js';
import { isLoopback } from '../../shared/local/loopback.js';
import type { WorkerSettings } from '../../shared/local/protocol.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { connectionFault, temporalConfig } from '../../shared/temporal/connection-fault.js';
import { retryInterceptors, temporalClient } from '../../shared/temporal/temporal-client.js';

/** The members of the local stack that a client uses. */
export interface LocalServer {
  home: string;
  /** URL of the Web UI. */
  webUi: string;
  /** Returns a background worker with these settings, for `taskQueue` or with its own queue. */
  worker(settings: WorkerSettings, taskQueue?: string | null): Promise<{ taskQueue: string }>;
  /** Returns the queues of its background workers. */
  queues(): Promise<string[]>;
}

/** A connected client. */
export interface Temporal {
  client: Client;
  /** host:port. */
  address: string;
  namespace: string;
  /** The local stack; null if the environment names another server. */
  local: LocalServer | null;
  /** Closes the connection and releases the local server. */
  close(): Promise<void>;
  /** Signal of a call of the client: once it is aborted, nothing with an effect is sent. */
  signal?: AbortSignal;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Wraps the program's own client, which stays open. */
export function ownTemporal(client: Client): Temporal {
  const { connection } = client;
  const address = connection instanceof Connection ? connection.options.address : 'the given client';
  return { client, address, namespace: client.options.namespace, local: null, close: async () => {} };
}

export interface Named {
  /** host:port. Default: from the environment. */
  address?: string | undefined;
  /** Advice for people if the server does not answer. */
  remedy: string;
}

/** Connects. Throws a SteersmanError if Temporal does not answer within 5 s, or its configuration is wrong. */
export async function connectTo({ remedy, ...named }: Named): Promise<Temporal> {
  const { options, namespace, address } = connectionTo(named.address);
  try {
    const connection = await Connection.connect(options);
    const client = temporalClient({ connection, namespace });
    return { client, address, namespace, local: null, close: () => connection.close() };
  } catch (error) {
    const known = await connectionFault(address, options, error);
    if (known) throw known;
    throw new SteersmanError(
      `Temporal at ${address} cannot be reached: ${errorText(error)}`,
      remedy,
      'unreachable',
    );
  }
}

function connectionTo(named: string | undefined) {
  const { connectionOptions, namespace } = temporalConfig();
  const { tls, apiKey, metadata, address = 'localhost:7233' } = connectionOptions;
  const options: ConnectionOptions = {
    address: named ?? address,
    connectTimeout: CONNECT_TIMEOUT_MS,
    interceptors: retryInterceptors,
    // gRPC uses proxy variables even for loopback addresses.
    ...(isLoopback(named ?? address) ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {}),
    ...(tls === undefined ? {} : { tls }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { options, namespace: namespace ?? 'default', address: named ?? address };
}

/** Returns the place of a run, which identifies a person's permissions. */
export function permissionPlace({ local, address, namespace }: Temporal, workspace: string): Place {
  return { server: local === null ? `${address}/${namespace}` : null, workspace };
}

/** Returns the run's page in the Web UI if its address is known: on the local stack and Temporal Cloud; else null. */
export function webUiLink({ local, address, namespace }: Temporal, id: string): string | null {
  const path = `namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
  if (local !== null) return `${local.webUi}/${path}`;
  return /\.(tmprl\.cloud|temporal\.io)(:\d+)?$/.test(address) ? `https://cloud.temporal.io/${path}` : null;
}

/** A run's place: its server and its workspace. */
export interface Place {
  /** Address and namespace; null for the local stack. */
  server: string | null;
  /** The path that the run has: on the local stack the real path. */
  workspace: string;
}
