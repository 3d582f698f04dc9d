/** A tool server over real HTTP whose tools are functions, for tests of runs with remote servers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { type CodeTool, codeToolServer } from 'steersman/mcp';
import { caught } from 'steersman/shared';
import { listen } from './model-server.js';

export interface ToolServer {
  /** The value for `.mcp.json`, or `mcpServers` in code: `{ url }`. */
  url: string;
  /** Every call that arrived, oldest first. */
  calls: { tool: string; arguments: unknown }[];
  close(): Promise<void>;
}

/** Starts a tool server on a loopback port. It is stateless: each request has its own connection. */
export async function startToolServer(tools: readonly CodeTool[]): Promise<ToolServer> {
  const calls: ToolServer['calls'] = [];
  const recorded = tools.map(tool => ({
    ...tool,
    run: (args: unknown, context: Parameters<CodeTool['run']>[1]) => {
      calls.push({ tool: tool.name, arguments: args });
      return tool.run(args, context);
    },
  }));
  const { port, close } = await listen(
    caught(
      (request, response) => answer(recorded, request, response),
      (response, error) => void response.writeHead(500).end(String(error)),
    ),
  );
  return { url: `http://127.0.0.1:${port}/mcp`, calls, close };
}

async function answer(
  tools: readonly CodeTool[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const server = codeToolServer(tools, '');
  const transport = new StreamableHTTPServerTransport({});
  response.on('close', () => void server.close());
  // The SDK's transport type is incompatible with exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response);
}
