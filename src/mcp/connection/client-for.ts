/** What a connection to a tool server is made of: the way to it, and a client that answers what the server asks. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { FormQuestion } from '../../run/gates/form.js';
import { APPS_CAPABILITY } from '../tools/apps.js';
import { serveCodeTools } from '../tools/code-tools.js';
import type { CallTimer } from './answer-watch.js';
import { createHttpTransport } from './http-transport.js';
import type { ResolvedServer } from './resolve-server.js';
import { StdioTransport } from './stdio-transport.js';

export type Transport = Awaited<ReturnType<typeof transportTo>>;

export async function transportTo(server: ResolvedServer) {
  if (server.type === 'code') return serveCodeTools(server.tools, server.workspace);
  return server.type === 'stdio' ? new StdioTransport(server) : createHttpTransport(server);
}

/** What a server may ask during a call. */
export interface Asked {
  /** Ends with the call. */
  signal: AbortSignal;
  /** Puts what the server asks to a person, while the call's time stands still. Default: it is declined. */
  onForm?: (question: FormQuestion, signal: AbortSignal) => Promise<ElicitResult>;
}

export interface Running {
  call: Asked;
  timer: CallTimer;
}

/** It says what it can do by what is served here, and no more. `calls`: those that run on the connection. */
export function clientFor({ type }: ResolvedServer, calls: ReadonlySet<Running>): Client {
  const capabilities = type === 'code' ? {} : { elicitation: { form: {} }, extensions: APPS_CAPABILITY };
  const client = new Client({ name: 'steersman', version: '0.1.0' }, { capabilities });
  if (type !== 'code')
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => ask(calls, params, signal));
  return client;
}

/** What a server asks belongs to the one call that runs; of several, nobody can tell. */
async function ask(
  calls: ReadonlySet<Running>,
  params: ElicitRequest['params'],
  signal: AbortSignal,
): Promise<ElicitResult> {
  const [running, ...others] = calls;
  if (!running || others.length > 0 || !('requestedSchema' in params)) return { action: 'cancel' };
  const { call, timer } = running;
  if (!call.onForm) return { action: 'decline' };
  timer.pause();
  try {
    const schema: Record<string, unknown> = { ...params.requestedSchema };
    return await call.onForm({ message: params.message, schema }, AbortSignal.any([signal, call.signal]));
  } finally {
    timer.resume();
  }
}
