/** A client of the official SDK, connected to the server in memory. */
import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { createMcpServer } from '../../../packages/mcp-server/server.js';
import { Calls } from '../../../packages/mcp-server/tools/tool.js';
import type { SteersmanError } from '../../../src/shared/process/errors.js';
import { type FakeRuns, fakeRuns } from '../../support/fake-runs.js';

export interface Given {
  runs?: FakeRuns;
  workspaces?: string[];
  /** Is told which errors may mean that the connection is lost. */
  lostBy?: (error: SteersmanError) => void;
  /** How the person answers a form; left out, the client can't ask one. */
  person?: (message: string, signal: AbortSignal) => ElicitResult | Promise<ElicitResult>;
}

export interface Result {
  isError?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the tool gave; the test says what it should be.
  structuredContent?: any;
  content: { type: string; text: string }[];
}

/** As the kept client gives it. */
export const clientOf = (runs: FakeRuns) => ({ get: async () => runs, lostBy: () => {} });

export async function connected({
  runs = fakeRuns(),
  workspaces = ['/work'],
  lostBy = () => {},
  person,
}: Given = {}) {
  const calls = new Calls();
  const server = createMcpServer({ client: { ...clientOf(runs), lostBy }, workspaces, calls });
  const options: ClientOptions = { capabilities: person ? { elicitation: {} } : {} };
  const client = new Client({ name: 'test', version: '1' }, options);
  if (person)
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => person(params.message, signal));
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  // What tools are is read first, so that their results are held against their output schemas.
  await client.listTools();
  const call = async (
    name: string,
    args: object,
    options?: Parameters<Client['callTool']>[2],
  ): Promise<Result> =>
    (await client.callTool({ name, arguments: { ...args } }, undefined, options)) as unknown as Result;
  return { runs, client, server, calls, call };
}
