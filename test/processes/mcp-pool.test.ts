import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolsOf } from '@steersman/workspace-tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadMcpConfig, parseMcpConfig } from '../../src/mcp/connection/config.js';
import type { McpConnection } from '../../src/mcp/connection/connection.js';
import { McpPool } from '../../src/mcp/connection/pool.js';
import { listRunTools } from '../../src/mcp/tools.js';
import { SteersmanError } from '../../src/shared/process/errors.js';
import { type FakeMcp, fakeMcp, startFakeMcpHttp } from '../support/fake-mcp-server.js';
import { eventually } from '../support/wait.js';

const PROJECT = process.cwd();
let fake: FakeMcp;
let workspace = '';
let pools: McpPool[] = [];

beforeEach(() => {
  fake = fakeMcp();
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-')));
  pools = [];
});
afterEach(async () => {
  await Promise.all(pools.map(pool => pool.close()));
  fake.remove();
  rmSync(workspace, { recursive: true, force: true });
});

function poolOf(
  mcpServers: Record<string, unknown>,
  options: { idleCloseMs?: number; maxConnections?: number } = {},
) {
  const file = join(PROJECT, '.mcp.json');
  const config = { file, dir: PROJECT, ...parseMcpConfig(JSON.stringify({ mcpServers }), file) };
  const pool = new McpPool({ config, lookup: () => undefined, ...options });
  pools.push(pool);
  return pool;
}

function callOf(connection: McpConnection, tool: string, args: Record<string, unknown> = {}) {
  return connection.callTool({
    tool,
    arguments: args,
    meta: {},
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const gone = (pid: number | undefined) => eventually(() => expect(isAlive(pid ?? -1)).toBe(false));
const failureOf = async (work: Promise<unknown>): Promise<Error> => {
  const error = await work.then(
    () => null,
    reason => reason,
  );
  if (!(error instanceof Error)) throw new Error('it did not fail');
  return error;
};

const OFFICIAL =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
  '{"mcpServers":{"files":{"command":"mcp-server-filesystem","args":["${workspace}"]}}}';

describe('the project’s own .mcp.json', () => {
  it('T1 workspace tools → in this process, with annotations, and read in place of read_result', async () => {
    writeFileSync(join(workspace, 'a.txt'), 'hello');
    const pool = new McpPool({
      config: loadMcpConfig(PROJECT),
      lookup: () => undefined,
      toolsHere: toolsOf(),
    });
    pools.push(pool);
    const { tools, warnings } = await listRunTools(pool, workspace);
    expect(warnings).toEqual([]);
    expect(tools.find(tool => tool.name === 'read')).toMatchObject({
      validation: 'strict',
      origin: { type: 'mcp', server: 'workspace' },
      policy: { readOnly: true, idempotent: true },
    });
    const edit = tools.find(tool => tool.name === 'edit')?.policy;
    expect(edit).toMatchObject({ readOnly: false, idempotent: false, destructive: false });
    expect(tools.map(({ name }) => name)).not.toContain('read_result');
    const result = await callOf(await pool.connect('workspace', workspace), 'read', { path: 'a.txt' });
    expect(result.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(pool.status()).toEqual([{ server: 'workspace', status: 'connected' }]);
  });

  it('T1 another server in their place → its tools, and read_result', async () => {
    const config = { ...loadMcpConfig(PROJECT), ...parseMcpConfig(OFFICIAL, '.mcp.json') };
    const pool = new McpPool({ config, lookup: () => undefined });
    pools.push(pool);
    const { tools } = await listRunTools(pool, workspace);
    expect(tools.find(tool => tool.name === 'read_text_file')?.policy.readOnly).toBe(true);
    expect(tools.at(-1)?.name).toBe('read_result');
  });
});

describe('tools of a run', () => {
  it('T1 T2 two servers, one disabled, one that fails → bare name for the first, server__tool for the second, a warning', async () => {
    const pool = poolOf({
      one: fake.stdioEntry(),
      off: { ...fake.stdioEntry(), enabled: false },
      broken: fake.stdioEntry({ FAKE_MCP_FAIL: 'no database' }),
      two: fake.stdioEntry({ OTHER: '1' }),
    });
    const { tools, warnings, fallbackServer } = await listRunTools(pool, workspace);
    const names = tools.map(tool => tool.name);
    expect(names).toContain('echo');
    expect(names).toContain('two__echo');
    expect(names.filter(name => name.includes('off') || name.includes('broken'))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('Tool server broken did not start');
    expect(fallbackServer).toBeNull();
    expect(
      pool
        .status()
        .map(({ server, status }) => `${server} ${status}`)
        .sort(),
    ).toEqual(['broken failed', 'one connected', 'two connected']);
  });

  it('T3 a connected server named default → takes calls of tools nobody offers', async () => {
    const { fallbackServer } = await listRunTools(poolOf({ default: fake.stdioEntry() }), workspace);
    expect(fallbackServer).toBe('default');
  });

  it('C4 policy and validation: annotations missing → not read-only; no schema → the server checks', async () => {
    const { tools } = await listRunTools(poolOf({ one: fake.stdioEntry() }), workspace);
    const of = (name: string) => tools.find(tool => tool.name === name);
    expect(of('no_annotations')?.policy).toMatchObject({
      readOnly: false,
      idempotent: false,
      destructive: true,
    });
    expect(of('idempotent_put')?.policy).toMatchObject({ readOnly: false, idempotent: true });
    expect(of('no_schema')?.validation).toBe('delegate');
    expect(of('echo')?.validation).toBe('strict');
    expect(of('odd_name_')?.serverToolName).toBe('odd_name_');
    expect(tools.find(tool => tool.serverToolName === 'odd.name!')?.name).toBe('one__odd_name_');
  });

  it('T1 paging: three tools a page → all tools', async () => {
    const all = await listRunTools(poolOf({ one: fake.stdioEntry() }), workspace);
    const paged = await listRunTools(poolOf({ one: fake.stdioEntry({ FAKE_MCP_PAGE: '3' }) }), workspace);
    expect(paged.tools).toEqual(all.tools);
  });

  it('list_changed → the next run sees the new tool', async () => {
    const pool = poolOf({ one: fake.stdioEntry() });
    const names = async () => (await listRunTools(pool, workspace)).tools.map(tool => tool.name);
    expect(await names()).not.toContain('added');
    await callOf(await pool.connect('one', workspace), 'add_tool');
    await eventually(async () => expect(await names()).toContain('added'));
  });

  it('a real server of another kind (everything) → its tools, but none that works only as a task', async () => {
    const pool = poolOf({ everything: { command: 'mcp-server-everything' } });
    const { tools, warnings } = await listRunTools(pool, workspace);
    const names = tools.map(tool => tool.name);
    expect(names).toContain('echo');
    expect(names).not.toContain('simulate-research-query');
    expect(warnings).toEqual([expect.stringContaining('simulate-research-query')]);
  });

  it('OU6 a variable of one server is not set → a warning with its name, the other servers serve', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
    const pool = poolOf({ one: { command: 'node', args: ['${NOT_SET}'] }, two: fake.stdioEntry() });
    const { tools, warnings } = await listRunTools(pool, workspace);
    expect(warnings.join()).toContain('NOT_SET');
    expect(tools.map(tool => tool.name)).toContain('two__echo');
  });

  it('OU6 more tools than endpoints take → a warning with the number', async () => {
    const pool = poolOf({ one: fake.stdioEntry(), two: fake.stdioEntry({ FAKE_MCP_TOOLS: '200' }) });
    const { tools, warnings } = await listRunTools(pool, workspace);
    expect(warnings.join()).toContain(`offer ${tools.length} tools`);
    const few = await listRunTools(poolOf({ one: fake.stdioEntry() }), workspace);
    expect(few.warnings.join()).not.toContain('offer');
  });
});

describe('connections', () => {
  it('many callers at once → one server process; another workspace → another, where the settings name it', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
    const pool = poolOf({ shared: fake.stdioEntry(), own: fake.stdioEntry({ WS: '${workspace}' }) });
    const connections = await Promise.all(
      Array.from({ length: 10 }, () => pool.connect('shared', workspace)),
    );
    expect(new Set(connections).size).toBe(1);
    expect(await pool.connect('shared', '/other')).toBe(connections[0]);
    const own = await pool.connect('own', workspace);
    expect(await pool.connect('own', workspace)).toBe(own);
    expect(await pool.connect('own', '/other')).not.toBe(own);
    expect(fake.events().filter(({ event }) => event === 'start')).toHaveLength(3);
  });

  it('kill -9 of the server → the next use starts it again', async () => {
    const pool = poolOf({ one: fake.stdioEntry() });
    const first = await pool.connect('one', workspace);
    process.kill(first.pid ?? 0, 'SIGKILL');
    await eventually(() => expect(first.closed).toBe(true));
    expect(pool.status()).toMatchObject([
      { server: 'one', status: 'failed', error: expect.stringContaining('SIGKILL') },
    ]);
    const second = await pool.connect('one', workspace);
    expect(second.pid).not.toBe(first.pid);
    expect((await callOf(second, 'echo', { text: 'hi' })).content).toEqual([{ type: 'text', text: 'hi' }]);
  });

  it('a start that failed → tried again on the next use', async () => {
    const file = join(fake.dir, 'fail');
    writeFileSync(file, 'not yet\n');
    const pool = poolOf({ one: fake.stdioEntry({ FAKE_MCP_FAIL_FILE: file }) });
    await failureOf(pool.connect('one', workspace));
    rmSync(file);
    expect((await pool.connect('one', workspace)).closed).toBe(false);
  });

  it('servers lead their own process group, so that Ctrl-C in the terminal does not reach them', async () => {
    const { pid = 0 } = await poolOf({ one: fake.stdioEntry() }).connect('one', workspace);
    const stat = await import('node:fs').then(fs => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
    const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
    expect(group).toBe(pid);
  });

  it('close → no process left, also one that ignores the end of its input and SIGTERM', async () => {
    const pool = poolOf({
      one: fake.stdioEntry(),
      stubborn: {
        command: 'sh',
        args: [
          '-c',
          `trap '' TERM; "${process.execPath}" "$0"; while :; do sleep 1; done`,
          join(PROJECT, 'test/support/fake-mcp-server.mjs'),
        ],
        env: fake.env,
      },
    });
    const pids = (
      await Promise.all([pool.connect('one', workspace), pool.connect('stubborn', workspace)])
    ).map(c => c.pid);
    await pool.close();
    for (const pid of pids) await gone(pid);
    expect((await failureOf(pool.connect('one', workspace))).message).toContain('closed');
  });

  it('idle for long, or too many → closed, the longest unused first; one in use stays', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
    const pool = poolOf({ one: fake.stdioEntry({ WS: '${workspace}' }) }, { maxConnections: 2 });
    const [a, b, c] = [
      await pool.connect('one', 'a'),
      await pool.connect('one', 'b'),
      await pool.connect('one', 'c'),
    ];
    const waiting = callOf(a, 'slow', { gate: 'g' });
    pool.sweep(Date.now() + 60_000);
    expect([a, b, c].map(connection => connection.closed)).toEqual([false, true, false]);
    pool.sweep(Date.now() + 3_600_000);
    expect([a, b, c].map(connection => connection.closed)).toEqual([false, true, true]);
    fake.openGate('g');
    await waiting;
    await gone(b.pid);
  });
});

describe('servers that do not start', () => {
  it.each<[string, (fake: FakeMcp) => Record<string, unknown>, string[]]>([
    [
      'exits at once',
      f => {
        const file = join(f.dir, 'fail');
        writeFileSync(file, 'no database, key top-secret-key');
        return f.stdioEntry({ FAKE_MCP_FAIL_FILE: file, KEY: 'top-secret-key' });
      },
      ['did not start', 'fake-mcp-server.mjs', 'exited with code 3', 'no database, key ***', 'enabled'],
    ],
    [
      'command missing',
      () => ({ command: 'no-such-command', args: ['x'] }),
      ['no-such-command x', 'was not found'],
    ],
    [
      'folder missing',
      f => ({ ...f.stdioEntry(), cwd: '/no/such/folder' }),
      ['/no/such/folder', 'does not exist'],
    ],
    [
      'not an MCP server',
      () => ({ command: 'sh', args: ['-c', 'echo this is no MCP; exit 0'] }),
      ['exited with code 0', 'this is no MCP'],
    ],
    [
      'nobody listens',
      () => ({ type: 'http', url: 'http://127.0.0.1:65535/mcp?token=secret' }),
      ['http://127.0.0.1:65535/mcp)', 'ECONNREFUSED'],
    ],
  ])('%s → one message: server, command or address, why, what to do', async (_name, entry, parts) => {
    const error = await failureOf(poolOf({ one: entry(fake) }).connect('one', workspace));
    if (!(error instanceof SteersmanError)) throw error;
    const message = `${error.message} ${error.remedy}`;
    for (const part of ['one', ...parts]) expect(message).toContain(part);
    expect(message).not.toContain('secret-key');
    expect(message).not.toContain('token=secret');
    expect(message).not.toMatch(/\n\s+at /);
  });

  it('HTTP with a wrong token → says 401, without the token', async () => {
    const server = await startFakeMcpHttp(fake, { env: { FAKE_MCP_TOKEN: 'right' } });
    try {
      const entry = { type: 'http', url: server.url, headers: { Authorization: 'Bearer wrong-token' } };
      const error = await failureOf(poolOf({ one: entry }).connect('one', workspace));
      expect(error.message).toContain('no valid token');
      expect(error.message).not.toContain('wrong-token');
    } finally {
      server.child.kill('SIGKILL');
    }
  });
});

describe('streamable HTTP', () => {
  it('list and call with headers → as over stdio', async () => {
    const server = await startFakeMcpHttp(fake, { env: { FAKE_MCP_TOKEN: 'right' } });
    try {
      const entry = { type: 'streamable-http', url: server.url, headers: { Authorization: 'Bearer right' } };
      const pool = poolOf({ remote: entry });
      expect((await listRunTools(pool, workspace)).tools.map(tool => tool.name)).toContain('echo');
      const result = await callOf(await pool.connect('remote', workspace), 'echo', { text: 'hi' });
      expect(result.content).toEqual([{ type: 'text', text: 'hi' }]);
    } finally {
      server.child.kill('SIGKILL');
    }
  });

  it('kill -9 while a call runs → connection lost at once, not after the time limit', async () => {
    const server = await startFakeMcpHttp(fake);
    const connection = await poolOf({ remote: { url: server.url } }).connect('remote', workspace);
    const failing = failureOf(
      callOf(connection, 'append_slow', { file: join(fake.dir, 'f'), line: 'x', gate: 'never' }),
    );
    await eventually(() => expect(fake.effects()).toHaveLength(1));
    server.child.kill('SIGKILL');
    expect(await failing).toMatchObject({ kind: 'connection_lost' });
  });
});
