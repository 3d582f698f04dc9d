import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createCallTool } from '../../src/activities/tools/call-tool.js';
import type { CallToolInput, CallToolResult } from '../../src/activities/types.js';
import { checkWorkspace } from '../../src/config/files/workspace.js';
import { toolResult, toolResultText } from '../../src/conversation/tool-result.js';
import { parseMcpConfig } from '../../src/mcp/connection/config.js';
import { McpPool } from '../../src/mcp/connection/pool.js';
import { McpSessions } from '../../src/mcp/connection/sessions.js';
import { FAILURE } from '../../src/run/limits/failure.js';
import { createLocalBlobStore } from '../../src/shared/store/blob-store.js';
import { type FakeMcp, fakeMcp, startFakeMcpHttp } from '../support/fake-mcp-server.js';
import { eventually, until } from '../support/wait.js';

const PROJECT = process.cwd();
let fake: FakeMcp;
let workspace = '';
let pools: McpPool[] = [];
let file = '';

beforeEach(() => {
  fake = fakeMcp();
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-')));
  file = join(workspace, 'lines.txt');
  pools = [];
});
afterEach(async () => {
  await Promise.all(pools.map(pool => pool.close()));
  fake.remove();
  rmSync(workspace, { recursive: true, force: true });
});

interface Rig {
  env: MockActivityEnvironment;
  pool: McpPool;
  heartbeats: unknown[];
  call(input?: Partial<CallToolInput>): Promise<CallToolResult>;
}

/** The activity with a real pool; every call of one rig shares an activity environment. */
function rig(
  mcpServers: Record<string, unknown> = { fake: fake.stdioEntry() },
  readArguments = noArguments,
  openWorkspace = async (path: string) => path,
): Rig {
  const config = {
    file: join(PROJECT, '.mcp.json'),
    dir: PROJECT,
    ...parseMcpConfig(JSON.stringify({ mcpServers }), '.mcp.json'),
  };
  const pool = new McpPool({ config, lookup: () => undefined });
  pools.push(pool);
  const blobs = createLocalBlobStore(join(fake.dir, 'blobs'));
  const activity = createCallTool({
    pool,
    sessions: new McpSessions(pool),
    blobs,
    readArguments,
    openWorkspace,
    deniedTools: async () => [],
  });
  const env = new MockActivityEnvironment(
    { workflowExecution: { workflowId: 'run-1', runId: 'r' } },
    { logger: new DefaultLogger('ERROR') },
  );
  const heartbeats: unknown[] = [];
  env.on('heartbeat', details => heartbeats.push(details));
  const call = (input: Partial<CallToolInput> = {}) =>
    env.run<[CallToolInput], CallToolResult, typeof activity>(activity, inputOf(input));
  return { env, pool, heartbeats, call };
}

async function noArguments(callId: string): Promise<Record<string, unknown>> {
  throw new Error(`arguments of ${callId} were asked for`);
}

function inputOf(input: Partial<CallToolInput>): CallToolInput {
  const tool = input.serverToolName ?? 'echo';
  return {
    callId: 'c1',
    toolUseId: 't1',
    tool,
    serverToolName: tool,
    server: 'fake',
    arguments: {},
    timeoutMs: 60_000,
    idempotent: true,
    workspace,
    idempotencyKey: 'chain-1-t1',
    goal: 1,
    taskId: null,
    context: {},
    ...input,
  };
}

const append = (gate: string): Partial<CallToolInput> => ({
  serverToolName: 'append_slow',
  arguments: { file, line: 'x', gate },
  idempotent: false,
});
const textOf = (result: CallToolResult) =>
  result.content.map(block => ('text' in block ? block.text : '')).join('\n');
/** Note and content as a model reads them. */
const wireOf = (result: CallToolResult) =>
  toolResultText(toolResult({ id: 't1', name: 'x' }, result.ending, result));
const failureOf = (work: Promise<unknown>) =>
  work.then(
    value => {
      throw new Error(`it did not fail: ${JSON.stringify(value)}`);
    },
    error => error,
  );
const effectsSeen = (count: number) => eventually(() => expect(fake.effects()).toHaveLength(count));
const callSeen = (tool: string) =>
  eventually(() =>
    expect(fake.events().some(event => event.event === 'call' && event.tool === tool)).toBe(true),
  );
async function serverPid(pool: McpPool): Promise<number> {
  return (await pool.connect('fake', workspace)).pid ?? 0;
}

describe('a call that runs', () => {
  it('T16 O3 text → executed, with the text and its duration', async () => {
    const result = await rig().call({ arguments: { text: 'hi' } });
    expect(result).toEqual({
      ending: 'executed',
      content: [{ type: 'text', text: 'hi' }],
      isError: false,
      durationMs: expect.any(Number),
    });
  });

  it('T4 run context → the server gets it as namespaced _meta; the starter can not forge the run’s id', async () => {
    await rig().call({
      arguments: { text: 'hi' },
      taskId: '3',
      context: { taskId: 'own', 'app/user': 'ann', 'steersman/runId': 'forged' },
    });
    const meta = fake.events().find(event => event.event === 'call')?._meta;
    expect(meta).toMatchObject({
      'steersman/runId': 'run-1',
      'steersman/idempotencyKey': 'chain-1-t1',
      'steersman/goal': '1',
      'steersman/taskId': '3',
      'steersman.context/taskId': 'own',
      'app/user': 'ann',
    });
  });

  it('E1 the tool says that it failed → executed, marked as error', async () => {
    const result = await rig().call({ serverToolName: 'fail' });
    expect(result).toMatchObject({ ending: 'executed', isError: true });
    expect(textOf(result)).toContain('on purpose');
  });

  it('E1 the server answers with a protocol error → a result with its message', async () => {
    const result = await rig().call({ serverToolName: 'refuse' });
    expect(result).toMatchObject({ ending: 'executed', isError: true });
    expect(textOf(result)).toContain('refused on purpose');
  });

  it.each([
    [-32_602, 'invalid'],
    [-32_601, 'unavailable'],
    [-32_603, 'executed'],
  ])(
    'TR5 a protocol error %i of 300 KB → %s by its code, its words bounded, as data only',
    async (code, ending) => {
      const args = { code, characters: 300_000 };
      const result = await rig().call({ serverToolName: 'refuse', arguments: args });
      expect(result).toMatchObject({ ending, isError: true });
      expect(result.note).not.toContain('on purpose');
      expect(textOf(result)).toContain('refused on purpose');
      expect(JSON.stringify(result).length).toBeLessThan(10_000);
      expect(result.content).toMatchObject([{ ref: expect.stringMatching(/^blob:/) }]);
    },
  );

  it('heartbeats: none at the start, for most calls are over soon, then every second', async () => {
    const { call, heartbeats } = rig();
    const running = call({ serverToolName: 'slow', arguments: { gate: 'g' } });
    expect(heartbeats).toEqual([]);
    await eventually(() => expect(heartbeats.length).toBeGreaterThanOrEqual(2));
    expect(heartbeats[0]).toEqual({ callId: 'c1', tool: 'slow' });
    fake.openGate('g');
    await running;
  });

  it('heartbeats: the tool tells its progress → told on', async () => {
    const { call, heartbeats } = rig();
    const running = call({ serverToolName: 'progress', arguments: { gate: 'g' } });
    const told = { callId: 'c1', tool: 'progress', progress: 1, total: 2, message: 'halfway' };
    await eventually(() => expect(heartbeats).toContainEqual(told));
    fake.openGate('g');
    await running;
  });

  it('large arguments → read by the call’s id', async () => {
    const asked: string[] = [];
    const { call } = rig(undefined, async callId => {
      asked.push(callId);
      return { text: 'from the run' };
    });
    const { arguments: _none, ...input } = inputOf({});
    const result = await call({ ...input, arguments: undefined } as unknown as CallToolInput);
    expect(asked).toEqual(['c1']);
    expect(textOf(result)).toBe('from the run');
  });

  it('a tool of a real server (everything) that works only as a task → unavailable, without a call', async () => {
    const { call } = rig({ fake: { command: 'mcp-server-everything' } });
    const result = await call({
      serverToolName: 'simulate-research-query',
      arguments: { topic: 'boats', ambiguous: true },
      timeoutMs: 60_000,
      idempotent: false,
    });
    expect(result).toMatchObject({ ending: 'unavailable', note: expect.stringContaining('task') });
  });

  it('the real filesystem server → reads, edits, and reports its own error as a result', async () => {
    writeFileSync(file, 'one\ntwo\n');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own placeholder.
    const { call } = rig({ fake: { command: 'mcp-server-filesystem', args: ['${workspace}'] } });
    const read = await call({ serverToolName: 'read_text_file', arguments: { path: file }, checked: true });
    expect(read.content).toEqual([{ type: 'text', text: 'one\ntwo\n' }]);
    const edits = [{ oldText: 'two', newText: 'three' }];
    const edit = await call({
      serverToolName: 'edit_file',
      arguments: { path: file, edits },
      idempotent: false,
      checked: true,
    });
    expect(edit.ending).toBe('executed');
    expect(readFileSync(file, 'utf8')).toBe('one\nthree\n');
    const outside = await call({
      serverToolName: 'read_text_file',
      arguments: { path: '/etc/passwd' },
      checked: true,
    });
    expect(outside).toMatchObject({ ending: 'executed', isError: true });
  });
});

describe('arguments (T6, T7, T5, C4)', () => {
  it('T6 T7 checked and wrong → invalid, with path, expected, got; the tool does not run', async () => {
    const result = await rig().call({
      serverToolName: 'append_line',
      arguments: { file: 5, lin: 'x' },
      idempotent: false,
      checked: true,
    });
    expect(result).toMatchObject({ ending: 'invalid', isError: true, durationMs: 0 });
    for (const part of [
      '"line" is missing',
      'file: expected string, got number 5',
      'unknown property "lin"; known: file, line',
    ]) {
      expect(wireOf(result)).toContain(part);
    }
    expect(fake.events().filter(event => event.event === 'call')).toEqual([]);
  });

  it('T5 {} that fits → runs', async () => {
    expect((await rig().call({ serverToolName: 'structured', checked: true })).ending).toBe('executed');
  });

  it('C4 not checked → the server is the judge', async () => {
    const result = await rig().call({ serverToolName: 'no_schema', arguments: { any: [1] } });
    expect(textOf(result)).toBe('{"any":[1]}');
  });

  it('T3 a tool that the server does not have → unavailable, said so, never a failed run', async () => {
    const result = await rig().call({ serverToolName: 'no_such_tool' });
    expect(result).toMatchObject({ ending: 'unavailable', isError: true });
    expect(result.note).toContain('no longer has this tool');
    expect(textOf(result)).toContain('no_such_tool');
  });
});

describe('servers that can not be reached', () => {
  it('E1 does not start → unavailable after 3 tries: which server, why, what to do', async () => {
    const result = await rig({ fake: fake.stdioEntry({ FAKE_MCP_FAIL: 'no disk' }) }).call();
    expect(result).toMatchObject({ ending: 'unavailable', isError: true });
    for (const part of ['fake', 'exited with code 3', 'in 3 tries', 'Go on'])
      expect(wireOf(result)).toContain(part);
  });

  it('not configured → unavailable, naming it', async () => {
    const result = await rig().call({ server: 'other' });
    expect(result.ending).toBe('unavailable');
    expect(textOf(result)).toContain('no enabled tool server named other');
  });

  it('starts at the second try → executed, also for a tool that is not idempotent', async () => {
    const fail = join(fake.dir, 'fail');
    writeFileSync(fail, 'not yet');
    const { call, pool } = rig({ fake: fake.stdioEntry({ FAKE_MCP_FAIL_FILE: fail }) });
    const running = call({
      serverToolName: 'append_line',
      arguments: { file, line: 'x' },
      idempotent: false,
    });
    await eventually(() => expect(pool.status()).toMatchObject([{ status: 'failed' }]));
    rmSync(fail);
    expect((await running).ending).toBe('executed');
    expect(fake.effects()).toHaveLength(1);
  });

  it('kill -9 of the server between two calls → the next call reconnects', async () => {
    const { call, pool } = rig();
    await call({ arguments: { text: 'one' } });
    process.kill(await serverPid(pool), 'SIGKILL');
    await eventually(() => expect(pool.status()).toMatchObject([{ status: 'failed' }]));
    expect(textOf(await call({ arguments: { text: 'two' } }))).toBe('two');
  });

  it('HTTP server restarted, session forgotten → the next call makes a new session, without a repeated effect', async () => {
    const first = await startFakeMcpHttp(fake);
    const { call } = rig({ fake: { url: first.url } });
    await call({ arguments: { text: 'one' } });
    first.child.kill('SIGKILL');
    await new Promise(resolve => first.child.once('exit', resolve));
    const second = await startFakeMcpHttp(fake, { port: first.port });
    try {
      const result = await call({
        serverToolName: 'append_line',
        arguments: { file, line: 'x' },
        idempotent: false,
      });
      expect(result.ending).toBe('executed');
      expect(fake.effects()).toHaveLength(1);
    } finally {
      second.child.kill('SIGKILL');
    }
  });

  it('HTTP server that is down → unavailable', async () => {
    const first = await startFakeMcpHttp(fake);
    const { call } = rig({ fake: { url: first.url } });
    await call({ arguments: { text: 'one' } });
    first.child.kill('SIGKILL');
    await new Promise(resolve => first.child.once('exit', resolve));
    const result = await call({ ...append('g'), timeoutMs: 1_000 });
    expect(result.ending).toBe('unavailable');
    expect(textOf(result)).toContain('ECONNREFUSED');
  });

  it('an HTTP server that answers nonsense after the request → outcome unknown, sent once', async () => {
    let posts = 0;
    const real = await startFakeMcpHttp(fake);
    const proxy = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      if (body.includes('tools/call')) {
        posts += 1;
        response.writeHead(502).end('bad gateway');
        return;
      }
      const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const answer = await fetch(real.url, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body,
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    }).listen(0, '127.0.0.1');
    await new Promise(resolve => proxy.once('listening', resolve));
    try {
      const address = proxy.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const result = await rig({ fake: { url: `http://127.0.0.1:${port}/mcp` } }).call(append('g'));
      expect(result.ending).toBe('outcome_unknown');
      expect(posts).toBe(1);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
      real.child.kill('SIGKILL');
    }
  });
});

describe('calls without an answer (T14)', () => {
  /** A call whose time is over once its server is at work: how soon it is depends on the machine. */
  async function callPastItsTime(work: 'call' | 'effect', input: Partial<CallToolInput>) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const running = rig().call({ ...input, timeoutMs: 600_000 });
    await until('the server is at work', () => fake.events().some(({ event }) => event === work));
    vi.advanceTimersByTime(600_000);
    return running;
  }

  it('time limit, idempotent → fails as tool.timeout, retryable; the server is told', async () => {
    const error = await failureOf(
      callPastItsTime('call', { serverToolName: 'slow', arguments: { gate: 'never' } }),
    );
    expect(error).toMatchObject({ type: 'tool.timeout', nonRetryable: false });
    expect(error.message).toContain('slow did not answer within 600 s');
    await eventually(() => expect(fake.events().some(event => event.event === 'cancelled')).toBe(true));
  });

  it('time limit, not idempotent → outcome unknown with advice, one effect', async () => {
    const result = await callPastItsTime('effect', append('never'));
    expect(result).toMatchObject({ ending: 'outcome_unknown', isError: true });
    expect(result.note).toContain('Check');
    expect(fake.effects()).toHaveLength(1);
  });

  it('server killed while it runs, idempotent → fails as tool.connection_lost, retryable', async () => {
    const { call, pool } = rig();
    const failing = failureOf(call({ serverToolName: 'slow', arguments: { gate: 'never' } }));
    await callSeen('slow');
    process.kill(await serverPid(pool), 'SIGKILL');
    const error = await failing;
    expect(error).toMatchObject({ type: 'tool.connection_lost', nonRetryable: false });
    expect(error.message).toContain('SIGKILL');
  });

  it.each(['stdio', 'http'])(
    'server killed while it runs over %s, not idempotent → outcome unknown, one effect',
    async kind => {
      const http = kind === 'http' ? await startFakeMcpHttp(fake) : null;
      const { call, pool } = rig({ fake: http ? { url: http.url } : fake.stdioEntry() });
      const running = call(append('never'));
      await effectsSeen(1);
      process.kill(http?.child.pid ?? (await serverPid(pool)), 'SIGKILL');
      expect((await running).ending).toBe('outcome_unknown');
      expect(fake.effects()).toHaveLength(1);
    },
  );

  it('tool that ends its server → outcome unknown, with the server’s last words', async () => {
    const result = await rig().call({ serverToolName: 'crash', idempotent: false });
    expect(result.ending).toBe('outcome_unknown');
    for (const part of ['exited with code 7', 'crashing on purpose']) expect(wireOf(result)).toContain(part);
  });
});

describe('interrupts', () => {
  it('cancel, idempotent → cancelled at once; the server gets notifications/cancelled', async () => {
    const { call, env } = rig();
    const running = call({ serverToolName: 'slow', arguments: { gate: 'never' } });
    await callSeen('slow');
    env.cancel('CANCELLED');
    expect((await running).ending).toBe('cancelled');
    await eventually(() => expect(fake.events().some(event => event.event === 'cancelled')).toBe(true));
  });

  it('cancel, not idempotent → waits for the tool, which is not told', async () => {
    const { call, env } = rig();
    const running = call(append('g'));
    await effectsSeen(1);
    env.cancel('CANCELLED');
    fake.openGate('g');
    expect((await running).ending).toBe('executed');
    expect(fake.events().some(event => event.event === 'cancelled')).toBe(false);
  });

  it('cancel, stoppable though not idempotent → the server is told, and the outcome is unknown (WK1)', async () => {
    const { call, env } = rig();
    const running = call({ ...append('never'), stoppable: true });
    await effectsSeen(1);
    env.cancel('CANCELLED');
    expect((await running).ending).toBe('outcome_unknown');
    await eventually(() => expect(fake.events().some(event => event.event === 'cancelled')).toBe(true));
  });

  it('cancel before anything was sent → cancelled, nothing runs', async () => {
    const { call, env } = rig({ fake: fake.stdioEntry({ FAKE_MCP_DELAY_MS: '60000' }) });
    const running = call(append('g'));
    env.cancel('CANCELLED');
    expect((await running).ending).toBe('cancelled');
    expect(fake.effects()).toEqual([]);
  });

  it.each<[string, Partial<CallToolInput>, boolean]>([
    [
      'idempotent → worker.shutdown, retryable',
      { serverToolName: 'slow', arguments: { gate: 'never' } },
      false,
    ],
    ['not idempotent → worker.shutdown, not retryable', {}, true],
  ])('end of the worker’s grace: %s', async (_name, input, nonRetryable) => {
    const { call, env } = rig();
    const request = input.serverToolName ? input : append('never');
    const failing = failureOf(call(request));
    await callSeen(request.serverToolName ?? '');
    env.cancel('WORKER_SHUTDOWN');
    expect(await failing).toMatchObject({ type: 'worker.shutdown', nonRetryable });
  });

  it('end of the worker’s grace before anything was sent → tool.not_sent, retryable', async () => {
    const { call, env } = rig({ fake: fake.stdioEntry({ FAKE_MCP_DELAY_MS: '60000' }) });
    const failing = failureOf(call(append('g')));
    env.cancel('WORKER_SHUTDOWN');
    expect(await failing).toMatchObject({ type: 'tool.not_sent', nonRetryable: false });
  });

  it('any other stop, idempotent → Temporal’s own failure', async () => {
    const { call, env } = rig();
    const failing = failureOf(call({ serverToolName: 'slow', arguments: { gate: 'never' } }));
    await callSeen('slow');
    env.cancel('TIMED_OUT');
    expect(await failing).toMatchObject({ name: 'CancelledFailure', message: 'TIMED_OUT' });
  });
});

describe('results (T16, T17)', () => {
  it('T17 100 KB of text → head and tail, whole lines, and read_result pages the rest', async () => {
    const { call } = rig();
    const result = await call({ serverToolName: 'big', arguments: { kilobytes: 100 } });
    const [block] = result.content;
    if (block?.type !== 'text' || block.ref === undefined) throw new Error('no reference');
    expect(Buffer.byteLength(block.text)).toBeLessThan(9 * 1024);
    expect(block.totalBytes).toBe(100 * 1024 - 1);
    const lines = block.text.split('\n');
    expect(lines.filter(line => !line.startsWith('line ') && !line.startsWith('['))).toEqual([]);
    expect(lines.at(-1)).toContain(`line ${String(1_599).padStart(8, '0')}`);
    const [, ref, offset] = /Read on in (\S+) at offset (\d+)\./.exec(wireOf(result)) ?? [];
    const page = await call({
      server: null,
      tool: 'read_result',
      serverToolName: 'read_result',
      arguments: { ref, offset: Number(offset) },
    });
    expect(page).toMatchObject({ ending: 'executed', isError: false });
    const headLines = lines.findIndex(line => line.startsWith('['));
    expect(textOf(page).split('\n')[0]).toContain(`line ${String(headLines).padStart(8, '0')}`);
  });

  it('T17 20 MB of text → still a small result', async () => {
    const result = await rig().call({
      serverToolName: 'big',
      arguments: { kilobytes: 20_000 },
      timeoutMs: 30_000,
    });
    expect(result.ending).toBe('executed');
    expect(JSON.stringify(result).length).toBeLessThan(16 * 1024);
  });

  it('T17 many parts → at most 64 KB, the rest behind one reference', async () => {
    const { call } = rig();
    const result = await call({ serverToolName: 'many', arguments: { parts: 30 } });
    expect(Buffer.byteLength(JSON.stringify(result.content))).toBeLessThanOrEqual(64 * 1024);
    const rest = result.content.at(-1);
    if (rest?.type !== 'text') throw new Error('no note');
    expect(rest.text).toContain('22 more parts');
    const page = await call({
      server: null,
      tool: 'read_result',
      serverToolName: 'read_result',
      arguments: { ref: rest.ref },
    });
    expect(textOf(page)).toContain('part 8');
  });

  it.each<[string, unknown[]]>([
    [
      'picture',
      [
        { type: 'text', text: 'a pixel' },
        { type: 'image', mimeType: 'image/png', ref: expect.stringMatching(/^blob:/), totalBytes: 70 },
      ],
    ],
    [
      'sound',
      [
        {
          type: 'resource',
          uri: expect.stringMatching(/^blob:/),
          mimeType: 'audio/wav',
          ref: expect.stringMatching(/^blob:/),
          totalBytes: 70,
        },
      ],
    ],
    [
      'resources',
      [
        { type: 'resource', uri: 'test://text', mimeType: 'text/plain', text: 'inside' },
        { type: 'resource', uri: 'test://blob', ref: expect.stringMatching(/^blob:/), totalBytes: 70 },
        { type: 'resource', uri: 'test://link', text: 'link: a link' },
      ],
    ],
    [
      'structured',
      [
        { type: 'text', text: 'two items' },
        { type: 'json', value: { items: ['a', 'b'] } },
      ],
    ],
    ['structured_twice', [{ type: 'text', text: '{"items":[1]}' }]],
  ])('T16 %s → its content, binary parts by reference', async (tool, content) => {
    expect((await rig().call({ serverToolName: tool })).content).toEqual(content);
  });

  it('unknown built-in tool → unavailable', async () => {
    expect((await rig().call({ server: null, serverToolName: 'other' })).ending).toBe('unavailable');
  });
});

it('call tool: a folder that this worker does not serve, whatever the state says → denied, and no server started (TR1)', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  const link = join(workspace, 'link');
  symlinkSync(outside, link);
  const { call } = rig(undefined, noArguments, path => checkWorkspace(path, [workspace]));
  for (const path of [outside, link, '/etc']) {
    const { ending, note } = await call({ workspace: path });
    expect(ending).toBe('denied');
    expect(note).toContain('not below a folder that this worker serves');
  }
  const inside = await call({ workspace });
  expect(inside.ending).not.toBe('denied');
  rmSync(link);
  rmSync(outside, { recursive: true });
});

it('call tool: a folder that this host does not have → not run and not denied, for another worker (TR1)', async () => {
  const { call } = rig(undefined, noArguments, path => checkWorkspace(path, [workspace]));
  const gone = call({ workspace: join(workspace, 'gone') });
  await expect(gone).rejects.toMatchObject({ type: FAILURE.tool.noWorkspace, nonRetryable: true });
  await expect(gone).rejects.toThrow(/gone does not exist/);
});
