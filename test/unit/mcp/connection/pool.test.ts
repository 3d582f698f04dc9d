/** Connections that runs share, to servers over HTTP that answer as each test says. */
import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { McpConnection } from '../../../../src/mcp/connection/connection.js';
import { listRunTools } from '../../../../src/mcp/tools.js';
import { json, type McpAnswer, serveMcp } from '../../../support/scripted-mcp.js';
import { poolOf, toolCaller } from '../../../support/tool-calls.js';
import { until } from '../../../support/wait.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const done = (id: number, res: ServerResponse) =>
  json(res, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } });

/** A server whose first call is answered when the test says so; `then` answers the later ones. */
async function serverThatHangs(then: McpAnswer) {
  let calls = 0;
  let release = () => {};
  const methods: string[] = [];
  const answers: Record<string, McpAnswer> = {
    'tools/call': (id, res) => {
      calls += 1;
      if (calls > 1) then(id, res);
      else release = () => done(id, res);
    },
  };
  const { url, close } = await serveMcp(answers, { tools: {} }, 'session-1', method => methods.push(method));
  const pool = poolOf({ url });
  closing.push(close, () => pool.close());
  const call = () => toolCaller(pool, 'write', {})({ idempotent: false });
  const first = call();
  await until('the first call is there', () => calls === 1);
  return { call, first, methods, release: () => release() };
}

test('shared connection: the server refuses one run with 403 → the write of another goes on, in the same session', async () => {
  const { call, first, methods, release } = await serverThatHangs((_, res) => void res.writeHead(403).end());
  expect((await call()).ending).toBe('outcome_unknown');
  release();
  expect(await first).toMatchObject({ ending: 'executed', content: [{ text: 'done' }] });
  expect(methods.filter(method => method === 'initialize')).toHaveLength(1);
  expect(methods).not.toContain('DELETE');
});

test('shared connection: the session is lost for one run → another session; the old one ends when the other run has its answer', async () => {
  let calls = 0;
  const { call, first, methods, release } = await serverThatHangs((id, res) => {
    calls += 1;
    if (calls === 1) res.writeHead(404).end();
    else done(id, res);
  });
  expect((await call()).ending).toBe('executed');
  expect(methods.filter(method => method === 'initialize')).toHaveLength(2);
  expect(methods).not.toContain('DELETE');
  release();
  expect((await first).ending).toBe('executed');
  await until('the old session ends', () => methods.includes('DELETE'));
});

test('shared connection: its server was started anew and knows no session → the next run has its tools all the same', async () => {
  let lists = 0;
  const answers: Record<string, McpAnswer> = {
    'tools/list': (id, res) => {
      lists += 1;
      if (lists === 2) res.writeHead(404).end();
      else json(res, { jsonrpc: '2.0', id, result: { tools: [{ name: 'write', inputSchema: {} }] } });
    },
  };
  const { url, close } = await serveMcp(answers, { tools: {} }, 'session-1');
  const pool = poolOf({ url });
  closing.push(close, () => pool.close());
  for (const _ of [1, 2]) {
    const { tools, warnings } = await listRunTools(pool, '/w');
    expect([tools[0]?.name, warnings]).toEqual(['write', []]);
  }
});

const said =
  (status: number, body: object): McpAnswer =>
  (id, res) =>
    void res
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
const NOT_FOUND = { error: { code: -32_600, message: 'Session not found' } };
test.each<[string, McpAnswer, string]>([
  ['503', said(503, { ...NOT_FOUND, id: null }), 'outcome_unknown'],
  [
    '500, and that it knows no valid session',
    said(500, { error: { code: -32_000, message: 'Bad Request: No valid session ID provided' } }),
    'outcome_unknown',
  ],
  ['an error of JSON-RPC', said(200, NOT_FOUND), 'executed'],
])(
  'shared connection: its server lost the session and says so with %s → the next call has another',
  async (_how, lost, ending) => {
    let calls = 0;
    const methods: string[] = [];
    const answers: Record<string, McpAnswer> = {
      'tools/call': (id, res) => {
        calls += 1;
        (calls === 1 ? lost : done)(id, res);
      },
    };
    const { url, close } = await serveMcp(answers, { tools: {} }, 'session-1', method =>
      methods.push(method),
    );
    const pool = poolOf({ url });
    closing.push(close, () => pool.close());
    const call = () => toolCaller(pool, 'write', {})({ idempotent: false });
    expect(await call()).toMatchObject({ ending, isError: true });
    expect(methods.filter(method => method === 'initialize')).toHaveLength(1);
    expect(await call()).toMatchObject({ ending: 'executed', isError: false });
    expect(methods.filter(method => method === 'initialize')).toHaveLength(2);
  },
);

test('shared connection: a tool that speaks of a session of its own → the connection stays', async () => {
  const methods: string[] = [];
  const error = { code: -32_603, message: 'Browser session not found' };
  const { url, close } = await serveMcp(
    { 'tools/call': said(200, { error }) },
    { tools: {} },
    'session-1',
    method => methods.push(method),
  );
  const pool = poolOf({ url });
  closing.push(close, () => pool.close());
  for (const _ of [1, 2]) await toolCaller(pool, 'write', {})({ idempotent: false });
  expect(methods.filter(method => method === 'initialize')).toHaveLength(1);
});

test('connection: opened and closed again and again → nothing of it hears the signal of its worker’s end', async () => {
  const { url, close } = await serveMcp({});
  const pool = poolOf({ url });
  closing.push(close, () => pool.close());
  const { server } = await pool.connect('fake', '/w');
  const { signal } = new AbortController();
  for (const _ of [1, 2, 3]) {
    const connection = await McpConnection.open(server, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await connection.close();
  }
});
