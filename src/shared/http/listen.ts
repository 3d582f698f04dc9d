/** Starts and stops all of our HTTP servers. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorText } from '../../base/text/error-text.js';
import { SteersmanError } from '../process/errors.js';

export interface Listening {
  port: number;
  closed: Promise<unknown>;
  /** Closes open connections too. */
  close(): void;
}

/** Listens on the first of these ports that is free; 0 means any port. @throws SteersmanError if none is free. */
export async function listenOn(
  server: Server,
  { host, ports, remedy = '' }: { host: string; ports: readonly number[]; remedy?: string },
): Promise<Listening> {
  let fault: unknown;
  for (const port of ports) {
    server.listen(port, host);
    fault = await once(server, 'listening').then(() => null, errorText);
    if (fault === null) break;
  }
  if (fault !== null)
    throw new SteersmanError(`This process cannot listen on ${host}:${ports.at(-1)}: ${fault}`, remedy);
  return {
    port: (server.address() as AddressInfo).port,
    closed: once(server, 'close'),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
