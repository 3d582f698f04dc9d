/** The server over standard input and output: nothing but its protocol is written there. */
import type { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpServer } from './server.js';
import { Calls, type ToolContext } from './tool.js';

export interface Streams {
  stdin: Readable;
  stdout: Writable;
}

/** Serves the one client until it closes its end; calls in flight then get their results first, without waiting. */
export async function serveStdio(
  context: Omit<ToolContext, 'calls'>,
  { stdin, stdout }: Streams = process,
): Promise<void> {
  const calls = new Calls();
  const server = createMcpServer({ ...context, calls });
  const gone = new Promise<void>(resolve => {
    const end = () => resolve();
    stdin.once('end', end).once('close', end);
    // A client that is gone reads nothing any more.
    stdout.once('error', end);
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await gone;
  // What came with the end is dispatched, then answered.
  await turn();
  await calls.end();
  await turn();
  await server.close();
}
