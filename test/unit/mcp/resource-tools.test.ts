/** Resources of the reference server, in a process of its own, as tools. */
import { afterEach, expect, test } from 'vitest';
import { parseMcpConfig } from '../../../src/mcp/connection/config.js';
import { McpPool } from '../../../src/mcp/connection/pool.js';
import { listRunTools } from '../../../src/mcp/tools.js';
import { json, type McpAnswer, serveMcp } from '../../support/scripted-mcp.js';
import { poolOf } from '../../support/tool-calls.js';

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
      ...{ tool, arguments: args, meta: {}, timeoutMs: 60_000 },
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

const page =
  (result: object): McpAnswer =>
  (id, res) =>
    json(res, { jsonrpc: '2.0', id, result });
const refuse: McpAnswer = (id, res) =>
  json(res, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } });

test.each<[string, boolean, Record<string, McpAnswer>]>([
  [
    'none, and no templates',
    false,
    {
      'resources/list': page({ resources: [] }),
      'resources/templates/list': page({ resourceTemplates: [] }),
    },
  ],
  ['no lists at all', false, { 'resources/list': refuse, 'resources/templates/list': refuse }],
  [
    'templates alone',
    true,
    {
      'resources/list': page({ resources: [] }),
      'resources/templates/list': page({ resourceTemplates: [{}] }),
    },
  ],
  [
    'one, and no list of templates',
    true,
    { 'resources/list': page({ resources: [{}] }), 'resources/templates/list': refuse },
  ],
])(
  'resources: a server that says it can have some, and has %s → the tools for them are offered: %s',
  async (_, offered, answers) => {
    const tools = page({ tools: [{ name: 'echo', inputSchema: {} }] });
    const { url, close } = await serveMcp({ 'tools/list': tools, ...answers }, { tools: {}, resources: {} });
    pool = poolOf({ url });
    const run = await listRunTools(pool, '/w');
    const names = run.tools.map(({ serverToolName }) => serverToolName);
    expect(names).toEqual(['echo', ...(offered ? ['list_resources', 'read_resource'] : []), 'read_result']);
    await pool.close();
    close();
  },
);

test('tools of a server: descriptions over 4,000 characters → cut, with a warning that names them', async () => {
  const tool = (name: string, chars: number) => ({ name, description: 'x'.repeat(chars), inputSchema: {} });
  const tools = page({ tools: [tool('short', 4_000), ...'abcdef'.split('').map(name => tool(name, 4_001))] });
  const { url, close } = await serveMcp({ 'tools/list': tools });
  pool = poolOf({ url });
  const run = await listRunTools(pool, '/w');
  expect(run.tools[1]?.description).toHaveLength(4_000);
  expect(run.warnings).toEqual([
    'Tool server fake: models are told only the first 4000 characters of the descriptions of a, b, c, d, e, and 1 more.',
  ]);
  close();
});
