// The tool of benchmarks: an MCP server over stdio with one read-only tool, which waits and returns a text.
// BENCH_TOOL_MS and BENCH_TOOL_BYTES set the time and the size.
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const waitMs = Number(process.env.BENCH_TOOL_MS ?? 30);
const bytes = Number(process.env.BENCH_TOOL_BYTES ?? 200);

const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [
    {
      name: 'lookup',
      description: 'Gives the record of a number.',
      inputSchema: {
        type: 'object',
        properties: { number: { type: 'integer' } },
        required: ['number'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
    },
  ],
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  await sleep(waitMs);
  const text = `Record ${params.arguments?.number}: `.padEnd(bytes, 'all is as it should be, ');
  return { content: [{ type: 'text', text }] };
});
await server.connect(new StdioServerTransport());
