/** Resources of the reference server, in a process of its own, as tools. */
import { afterEach, expect, test } from 'vitest';
import { parseMcpConfig } from '../../../src/mcp/config.js';
import { McpPool } from '../../../src/mcp/pool.js';
import { listRunTools } from '../../../src/mcp/tools.js';

let pool: McpPool;
afterEach(() => pool.close());

test('resources: a server that has some → two tools that only read, named as its own; they list and read them', async () => {
  const text = JSON.stringify({
    mcpServers: { none: { command: 'none' }, all: { command: 'mcp-server-everything' } },
  });
  const config = { file: '.mcp.json', dir: process.cwd(), ...parseMcpConfig(text, '.mcp.json') };
  pool = new McpPool({ config, lookup: () => undefined });
  const { tools } = await listRunTools(pool, process.cwd());
  const own = tools.filter(
    ({ serverToolName }) => serverToolName.endsWith('_resources') || serverToolName === 'read_resource',
  );
  expect(own.map(({ name, policy }) => [name, policy.readOnly])).toEqual([
    ['all__list_resources', true],
    ['all__read_resource', true],
  ]);
  const connection = await pool.connect('all', process.cwd());
  const call = (tool: string, args: Record<string, unknown>) =>
    connection.callTool({
      ...{ tool, arguments: args, meta: {}, timeoutMs: 10_000 },
      ...{ signal: new AbortController().signal, onProgress: () => {} },
    });
  const [page] = (await call('list_resources', {})).content;
  const { resources } = JSON.parse(page?.type === 'text' ? page.text : '{}');
  expect(resources.length).toBeGreaterThan(0);
  const { content, unreadable } = await call('read_resource', { uri: resources[0].uri });
  expect(unreadable).toEqual([]);
  expect(content).toMatchObject([{ type: 'resource', resource: { uri: resources[0].uri } }]);
  await expect(call('read_resource', { uri: 'test://none' })).rejects.toMatchObject({ kind: 'rejected' });
});
