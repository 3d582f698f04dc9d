/** What a connection to a tool server is made of: the way to it, and a client that says what it can do. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { serveCodeTools } from '../code-tools.js';
import type { ResolvedServer } from '../resolve-server.js';
import { createHttpTransport } from './http-transport.js';
import { StdioTransport } from './stdio-transport.js';

export type Transport = Awaited<ReturnType<typeof transportTo>>;

/** `session`: one with the server that is there already, which only HTTP has. */
export async function transportTo(server: ResolvedServer, session?: string) {
  if (server.type === 'code') return serveCodeTools(server.tools, server.workspace);
  return server.type === 'stdio' ? new StdioTransport(server) : createHttpTransport(server, session);
}

/** It says what it can do by what is served here, and no more. */
export function clientFor({ type }: ResolvedServer): Client {
  const capabilities = type === 'code' ? {} : { elicitation: { form: {} } };
  return new Client({ name: 'steersman', version: '0.1.0' }, { capabilities });
}
