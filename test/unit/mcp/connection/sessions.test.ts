/** Sessions against the fake server in processes of its own, over the activity that runs make. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCallTool } from '../../../../src/activities/tools/call-tool.js';
import { linkOf } from '../../../../src/activities/tools/server-link.js';
import type { CallToolInput, CallToolResult } from '../../../../src/activities/types.js';
import { parseMcpConfig } from '../../../../src/mcp/connection/config.js';
import type { McpConnection } from '../../../../src/mcp/connection/connection.js';
import { McpPool } from '../../../../src/mcp/connection/pool.js';
import { McpSessions } from '../../../../src/mcp/connection/sessions.js';
import { listRunTools } from '../../../../src/mcp/tools.js';
import { createLocalBlobStore } from '../../../../src/shared/store/blob-store.js';
import { type FakeMcp, fakeMcp, startFakeMcpHttp } from '../../../support/fake-mcp-server.js';
import { eventually } from '../../../support/wait.js';

let fake: FakeMcp;
let workspace = '';
const closing: (() => unknown)[] = [];

beforeEach(() => {
  fake = fakeMcp();
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-')));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  fake.remove();
  rmSync(workspace, { recursive: true, force: true });
});

function rig(entry: Record<string, unknown> = fake.stdioEntry()) {
  const text = JSON.stringify({ mcpServers: { held: { ...entry, stateful: true } } });
  const config = { file: '.mcp.json', dir: process.cwd(), ...parseMcpConfig(text, '.mcp.json') };
  const pool = new McpPool({ config, lookup: () => undefined });
  const sessions = new McpSessions(pool);
  closing.push(
    () => pool.close(),
    () => sessions.close(),
  );
  const activity = createCallTool({
    pool,
    sessions,
    blobs: createLocalBlobStore(join(fake.dir, 'blobs')),
    readArguments: () => Promise.reject(new Error('not asked for')),
    openWorkspace: async path => path,
    deniedTools: async () => [],
  });
  const call = (
    tool: string,
    { run = 'run-1', ...input }: Partial<CallToolInput> & { run?: string } = {},
  ): Promise<CallToolResult> =>
    new MockActivityEnvironment(
      { workflowExecution: { workflowId: run, runId: 'r' } },
      { logger: new DefaultLogger('ERROR') },
    ).run<[CallToolInput], CallToolResult, typeof activity>(activity, {
      ...{ callId: 'c1', toolUseId: 't1', tool, serverToolName: tool, server: 'held', arguments: {} },
      ...{ timeoutMs: 60_000, idempotent: true, workspace, session: null },
      ...{ idempotencyKey: 'chain-1-t1', goal: 1, taskId: null, context: {} },
      ...input,
    });
  return { pool, sessions, call };
}

const serve = (sessions: McpSessions) => sessions.serve('q/1', async () => true);
const textOf = ({ content }: CallToolResult) =>
  content.map(part => ('text' in part ? part.text : '')).join('\n');
const callPids = () =>
  fake
    .events()
    .filter(({ event }) => event === 'call')
    .map(({ pid }) => pid);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
const gone = (pid: number) => eventually(() => expect(isAlive(pid)).toBe(false));

test('session: two runs → a process for each, told with the first call; each finds what it left there', async () => {
  const { sessions, call } = rig();
  serve(sessions);
  const open = async (run: string, said: string) =>
    (await call('remember', { run, arguments: { text: said } })).session;
  const one = await open('run-1', 'one');
  const two = await open('run-2', 'two');
  expect([one?.queue, two?.queue]).toEqual(['q/1', 'q/1']);
  expect(textOf(await call('recall', { run: 'run-1', session: one?.id ?? '' }))).toBe('one');
  const second = await call('recall', { run: 'run-2', session: two?.id ?? '' });
  expect([textOf(second), second.session]).toEqual(['two', undefined]);
  expect(await call('recall', { run: 'run-2', session: one?.id ?? '' })).toMatchObject({
    ending: 'session_lost',
  });
  const [a, b, c, d] = callPids();
  expect([a === b, a === c, b === d]).toEqual([false, true, true]);
});

test('session: its process dies between two calls → the next is not run and says that the session is lost', async () => {
  const { sessions, call } = rig();
  serve(sessions);
  const { session } = await call('remember', { arguments: { text: 'one' } });
  process.kill(callPids()[0] ?? 0, 'SIGKILL');
  await gone(callPids()[0] ?? 0);
  expect(await call('recall', { session: session?.id ?? '' })).toMatchObject({
    ending: 'session_lost',
    note: expect.stringMatching(/^Not run: .*held has ended/),
  });
  expect(textOf(await call('recall'))).toBe('nothing');
});

test('session: its process dies during a call → lost, and that the call may have had effects', async () => {
  const { sessions, call } = rig();
  serve(sessions);
  const { session } = await call('remember', { arguments: { text: 'one' } });
  const lost = await call('crash_read_only', { session: session?.id ?? '' });
  expect(lost).toMatchObject({ ending: 'session_lost', note: expect.stringContaining('may or may not') });
  expect(textOf(lost)).toContain('exited with code 7');
});

test('session over HTTP: the server forgets it → lost, not run', async () => {
  const first = await startFakeMcpHttp(fake);
  closing.push(() => first.child.kill('SIGKILL'));
  const { sessions, call } = rig({ url: first.url });
  serve(sessions);
  const { session } = await call('remember', { arguments: { text: 'one' } });
  first.child.kill('SIGKILL');
  await new Promise(resolve => first.child.once('exit', resolve));
  const second = await startFakeMcpHttp(fake, { port: first.port });
  closing.push(() => second.child.kill('SIGKILL'));
  expect(await call('recall', { session: session?.id ?? '' })).toMatchObject({ ending: 'session_lost' });
  expect(callPids()).toHaveLength(1);
});

test('session: the call that opens it fails → closed, for nobody was told of it', async () => {
  const { sessions, call } = rig();
  serve(sessions);
  await expect(call('recall', { arguments: { gate: 'never' }, timeoutMs: 200 })).rejects.toThrow();
  await gone(callPids()[0] ?? 0);
});

test.each(['ended', 'failed'] as const)(
  'session: its server starts when the call has %s already → closed, for nobody was told of it',
  async how => {
    const close = vi.fn(async () => {});
    let start = (_: McpConnection) => {};
    const starting = new Promise<McpConnection>(resolve => (start = resolve));
    const sessions = new McpSessions({ connectAlone: () => starting });
    serve(sessions);
    closing.push(() => sessions.close());
    const pool = { connect: () => starting, resume: () => starting, discard: () => {} };
    const at = { server: 'held', runId: 'run-1', task: null };
    const line = linkOf({ pool, sessions }, { session: null }, at);
    const connecting = line.connect(workspace);
    if (how === 'failed') line.failed();
    else line.ended({ ending: 'unavailable', content: [], isError: true, durationMs: 0 });
    start({ close } as Partial<McpConnection> as McpConnection);
    await connecting;
    expect(close).toHaveBeenCalledTimes(1);
  },
);

test('session: its run has ended, or nobody used it for an hour → closed; one of an open run stays', async () => {
  const { sessions, call } = rig();
  serve(sessions);
  for (const run of ['ended', 'open']) await call('remember', { run, arguments: { text: run } });
  const [ended = 0, open = 0] = callPids();
  const isOpen = async (run: string) => run === 'open';
  await sessions.sweep(isOpen);
  await gone(ended);
  expect(isAlive(open)).toBe(true);
  await sessions.sweep(isOpen, Date.now() + 61 * 60_000);
  await gone(open);
});

test('session: a worker without a queue of its own → the shared process, and no session to come back to', async () => {
  const { call } = rig();
  expect((await call('remember', { arguments: { text: 'one' } })).session).toBeUndefined();
  expect(textOf(await call('recall', { run: 'run-2' }))).toBe('one');
});

test('tools of a stateful server → marked as such, run one after the other, and nothing read is given again', async () => {
  const { pool } = rig();
  const { tools } = await listRunTools(pool, workspace);
  expect(tools.find(({ name }) => name === 'held__recall')).toMatchObject({
    origin: { type: 'mcp', server: 'held', stateful: true, startTimeoutMs: 30_000 },
    policy: { readOnly: true, concurrent: false, cache: 'none' },
  });
});

test('tools that change: the server says so during a call → told with its result, and listed anew (T19)', async () => {
  const { pool, call } = rig();
  expect((await call('recall')).toolsChangedAt).toBeUndefined();
  const before = Date.now();
  const { toolsChangedAt = 0 } = await call('add_tool');
  expect(toolsChangedAt).toBeGreaterThanOrEqual(before);
  const { tools } = await listRunTools(pool, workspace);
  expect(tools.map(({ name }) => name)).toContain('added');
});
