/** Servers that say something else than the protocol has: what of it can be used is, and a person learns of the rest. */
import { afterEach, describe, expect, it } from 'vitest';
import { parseMcpConfig } from '../../../src/mcp/connection/config.js';
import { McpPool } from '../../../src/mcp/connection/pool.js';
import { listRunTools } from '../../../src/mcp/tools.js';
import type { SteersmanError } from '../../../src/shared/process/errors.js';
import { serveHttp } from '../../support/serve.js';

const pools: McpPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.close()));
});

/** A server that lists and answers with these texts of JSON. */
function serverOf({
  list,
  answer = '{}',
  first = '',
}: {
  list: string;
  answer?: string;
  first?: string;
}): McpPool {
  const hello = `{ protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } }`;
  const script = `process.stdout.write(${JSON.stringify(first)});
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const m = JSON.parse(line);
    const result = { initialize: () => JSON.stringify(${hello}), 'tools/list': () => process.argv.at(-2), 'tools/call': () => process.argv.at(-1) }[m.method];
    if (result) console.log('{"jsonrpc":"2.0","id":' + m.id + ',"result":' + result() + '}');
  })`;
  const text = JSON.stringify({
    mcpServers: { odd: { command: process.execPath, args: ['-e', script, list, answer] } },
  });
  return poolOf(text);
}

function poolOf(text: string): McpPool {
  const config = { file: '.mcp.json', dir: process.cwd(), ...parseMcpConfig(text, '.mcp.json') };
  const pool = new McpPool({ config, lookup: () => undefined });
  pools.push(pool);
  return pool;
}

function echo() {
  const { signal } = new AbortController();
  return { tool: 'echo', arguments: {}, meta: {}, timeoutMs: 60_000, signal, onProgress: () => {} };
}

const LIST = '{"tools":[{"name":"echo"}]}';

describe('tools/list of an odd server (T1)', () => {
  it('an entry without a name, null for no next page → the other tools, and a warning', async () => {
    const list =
      '{"tools":[{"name":"a"},{"description":"nameless"},7,{"name":""},{"name":"b"}],"nextCursor":null}';
    const { tools, warnings } = await listRunTools(serverOf({ list }), process.cwd());
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b', 'read_result']);
    expect(warnings).toEqual([expect.stringMatching(/odd lists 3 tools without a name.*left out/)]);
  });

  // github.com/DeusData/codebase-memory-mcp/issues/1247, java-sdk/issues/628 of modelcontextprotocol
  it.each(['"x"', '""'])('a next page %s that is the same again → each tool once', async cursor => {
    const list = `{"tools":[{"name":"a"},{"name":"b"},{"name":"a"}],"nextCursor":${cursor}}`;
    const { tools, warnings } = await listRunTools(serverOf({ list }), process.cwd());
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b', 'read_result']);
    expect(warnings).toEqual([]);
  });

  it('a tool that its server takes only as a task → left out, and a warning that says so', async () => {
    const list =
      '{"tools":[{"name":"a","execution":{"taskSupport":"required"}},{"name":"b","execution":{"taskSupport":"optional"}},{"name":"c","execution":7}]}';
    const { tools, warnings } = await listRunTools(serverOf({ list }), process.cwd());
    expect(tools.map(({ name }) => name)).toEqual(['b', 'c', 'read_result']);
    expect(warnings).toEqual([expect.stringMatching(/odd takes calls of a only as tasks.*left out/)]);
  });

  it('a byte order mark before its first line → its tools are there', async () => {
    const { tools, warnings } = await listRunTools(serverOf({ list: LIST, first: '\uFEFF' }), process.cwd());
    expect(tools.map(({ name }) => name)).toEqual(['echo', 'read_result']);
    expect(warnings).toEqual([]);
  });

  it('arguments described deeper than a call stack → the other tools, and a warning', async () => {
    const levels = 5_000;
    const schema = `${'{"properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`;
    const list = `{"tools":[{"name":"deep","inputSchema":${schema}},{"name":"b"}]}`;
    const { tools, warnings } = await listRunTools(serverOf({ list }), process.cwd());
    expect(tools.map(({ name }) => name)).toEqual(['b', 'read_result']);
    expect(warnings).toEqual([expect.stringMatching(/odd lists 1 tool .*left out/)]);
  });
});

it('tool server: an answer that is no JSON-RPC → the call ends with it, not at its time limit', async () => {
  const connection = await serverOf({ list: LIST, answer: 'null' }).connect('odd', process.cwd());
  await expect(connection.callTool(echo())).rejects.toMatchObject({
    kind: 'rejected',
    message: expect.stringContaining('not a valid MCP message'),
  });
});

it('FE1: an integer of more digits than a double holds, in a result of a process → its digits; as a bound of arguments → a number', async () => {
  const order = '{"id":12345678901234567890}';
  const answer = `{"content":[{"type":"text","text":${JSON.stringify(order)}}],"structuredContent":${order}}`;
  const schema = '{"type":"object","properties":{"id":{"type":"integer","maximum":18446744073709551615}}}';
  const pool = serverOf({ list: `{"tools":[{"name":"echo","inputSchema":${schema}}]}`, answer });
  const connection = await pool.connect('odd', process.cwd());
  expect(await connection.callTool(echo())).toMatchObject({
    content: [{ text: order }],
    structuredContent: { id: '12345678901234567890' },
  });
  const { tools } = await listRunTools(pool, process.cwd());
  expect(tools[0]?.inputSchema).toMatchObject({ properties: { id: { maximum: 18446744073709552000 } } });
});

it('tool server: a result with parts of no known type, without text, malformed → its other parts, and the words for each (T16)', async () => {
  const parts = [
    { type: 'text', text: 'one', annotations: { priority: 'high' } },
    { type: 'video', data: 'AAAA' },
    { type: 'text' },
    { type: 'image', mimeType: 'image/png', data: { length: 1 } },
    { type: 'image', mimeType: 'image/png', data: 'not base 64!' },
    7,
    { type: 'resource', resource: { uri: 'file:///a' } },
    { type: 'resource_link', uri: 'file:///b' },
  ];
  const answer = JSON.stringify({ content: parts, structuredContent: [1], isError: 'no' });
  const connection = await serverOf({ list: LIST, answer }).connect('odd', process.cwd());
  expect(await connection.callTool(echo())).toEqual({
    content: [parts[0], parts[7]],
    structuredContent: [1],
    isError: false,
    unreadable: [
      'part 2, of no known type',
      'part 3, a text that is malformed',
      'part 4, a picture that is malformed',
      'part 5, a picture that is malformed',
      'part 6, of no known type',
      'part 7, a resource that is malformed',
    ],
  });
});

it.each<[string, object, object]>([
  ['a text for its list of parts', { content: 'one' }, { content: [{ type: 'text', text: 'one' }] }],
  ['texts as parts', { content: ['one', 'two'] }, { content: [{ text: 'one' }, { text: 'two' }] }],
  [
    'a picture as an address of its data',
    { content: [{ type: 'image', mimeType: 'image/*', data: 'data:image/png;base64,iVBORw0KGgo=' }] },
    { content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }] },
  ],
  ['the form of 2024', { toolResult: { orders: [1] } }, { content: [], structuredContent: { orders: [1] } }],
])('tool server: a result with %s → read all the same (T16)', async (_what, answer, expected) => {
  const connection = await serverOf({ list: LIST, answer: JSON.stringify(answer) }).connect(
    'odd',
    process.cwd(),
  );
  expect(await connection.callTool(echo())).toMatchObject({ ...expected, unreadable: [] });
});

it('tools of a run: the first server is down → its tool’s name does not pass to the next, run after run (TR7)', async () => {
  const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const m = JSON.parse(line);
    const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } };
    const result = { initialize: hello, 'tools/list': ${LIST} }[m.method];
    if (result) console.log(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }));
  })`;
  const command = process.execPath;
  const up = { command, args: ['-e', script] };
  const down = { command, args: ['-e', 'process.exit(3)'] };
  const ownersOf = async (one: object) => {
    const pool = poolOf(JSON.stringify({ mcpServers: { one, two: up } }));
    const { tools } = await listRunTools(pool, process.cwd());
    return tools.flatMap(({ name, origin }) => (origin.type === 'mcp' ? [[name, origin.server]] : []));
  };
  expect(await ownersOf(up)).toEqual([
    ['echo', 'one'],
    ['two__echo', 'two'],
  ]);
  expect(await ownersOf(down)).toEqual([['two__echo', 'two']]);
});

it('tool server: its last words have a key of several lines → hidden whole', async () => {
  const script = 'console.error(process.env.PEM); process.exit(3)';
  const PEM = `-----BEGIN KEY-----\n${'first-secret\n'.repeat(6)}last-secret\n-----END KEY-----`;
  const entry = { command: process.execPath, args: ['-e', script], env: { PEM } };
  const { warnings } = await listRunTools(poolOf(JSON.stringify({ mcpServers: { entry } })), process.cwd());
  expect(warnings).toEqual([expect.stringContaining('Its last output:\n  ***')]);
  expect(warnings.join()).not.toContain('-secret');
});

const REFUSAL = {
  code: -32022,
  message: 'Unsupported protocol version',
  data: { supported: ['2026-07-28'], requested: '2025-11-25' },
};

describe('SU3 a tool server that speaks another version of MCP', () => {
  it.each<[string, object, RegExp]>([
    ['names its versions', { error: REFUSAL }, /it has 2026-07-28\./],
    [
      'knows no handshake',
      { error: { code: -32601, message: 'Method not found: initialize' } },
      /Method not found/,
    ],
    [
      'greets with its own',
      {
        result: { protocolVersion: '2031-01-01', capabilities: {}, serverInfo: { name: 'a', version: '1' } },
      },
      /it has 2031-01-01\./,
    ],
  ])(
    'over a pipe: it %s → the version is named as the cause, with those that are spoken here',
    async (_what, answer, told) => {
      const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
      const { id } = JSON.parse(line);
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...JSON.parse(process.argv.at(-1)) }));
    })`;
      const args = ['-e', script, JSON.stringify(answer)];
      const pool = poolOf(JSON.stringify({ mcpServers: { odd: { command: process.execPath, args } } }));
      const fault = await pool.connect('odd', process.cwd()).then(
        () => null,
        error => error as SteersmanError,
      );
      expect(fault?.message).toMatch(/odd speaks no version of MCP/);
      expect(fault?.message).toMatch(told);
      expect(fault?.remedy).toMatch(/Steersman speaks 2025-11-25/);
    },
  );

  it.each([400, 404])('over HTTP: it answers %d, as that version has it → so there', async status => {
    const { url, close } = await serveHttp((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, error: REFUSAL }));
    });
    const pool = poolOf(JSON.stringify({ mcpServers: { far: { url } } }));
    const fault = await pool.connect('far', process.cwd()).then(
      () => null,
      error => error as SteersmanError,
    );
    close();
    expect(fault?.message).toMatch(/far speaks no version of MCP.*it has 2026-07-28/);
  });
});
