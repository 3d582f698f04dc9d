/** The parts of a connection to a tool server: the transport, and a client that answers the server's requests. */
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

/** How a server's requests are answered during a call. */
export interface Asked {
  /** Ends with the call. */
  signal: AbortSignal;
  /** Asks a person the server's question, while the call's time limit is paused. Default: the question is declined. */
  onForm?: (question: FormQuestion, signal: AbortSignal) => Promise<ElicitResult>;
}

export interface Running {
  call: Asked;
  timer: CallTimer;
}

/** Creates a client that only declares capabilities that are implemented here. `calls` are those on the connection. */
export function clientFor({ type }: ResolvedServer, calls: ReadonlySet<Running>): Client {
  const capabilities = type === 'code' ? {} : { elicitation: { form: {} }, extensions: APPS_CAPABILITY };
  const client = new Client({ name: 'steersman', version: '0.1.0' }, { capabilities });
  if (type !== 'code')
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => ask(calls, params, signal));
  return client;
}

/** A server's request belongs to the call that is running. It is cancelled if several are, since the right one is unknown. */
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
