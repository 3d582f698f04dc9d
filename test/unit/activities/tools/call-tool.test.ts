/** The activity against servers that answer as each test says; real ones are in `test/e2e/mcp-call-tool.test.ts`. */
import { mkdtemp, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, test } from 'vitest';
import { createCallTool } from '../../../../src/activities/tools/call-tool.js';
import type { CallToolInput, CallToolResult } from '../../../../src/activities/types.js';
import { parseMcpConfig } from '../../../../src/mcp/connection/config.js';
import { McpPool } from '../../../../src/mcp/connection/pool.js';
import { McpSessions } from '../../../../src/mcp/connection/sessions.js';
import { createLocalBlobStore } from '../../../../src/shared/store/blob-store.js';
import { json, type McpAnswer, serveMcp } from '../../../support/scripted-mcp.js';
import { poolOf, toolCaller } from '../../../support/tool-calls.js';

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const list: McpAnswer = (id, res) =>
  json(res, { jsonrpc: '2.0', id, result: { tools: [{ name: 'echo' }, { name: 'rm' }] } });
const give = (id: number, res: ServerResponse, content: unknown[]) =>
  json(res, { jsonrpc: '2.0', id, result: { content } });

/** Calls a tool of the server `far`, the second of two. */
async function callWith(
  answers: Record<string, McpAnswer>,
  { deny = [], real, ...input }: Partial<CallToolInput> & { deny?: string[]; real?: string } = {},
  session?: string,
): Promise<CallToolResult> {
  const { url, close } = await serveMcp({ 'tools/list': list, ...answers }, { tools: {} }, session);
  closing.push(close);
  const text = JSON.stringify({ mcpServers: { near: { command: 'none' }, far: { url } } });
  const config = { file: '.mcp.json', dir: process.cwd(), ...parseMcpConfig(text, '.mcp.json') };
  const pool = new McpPool({ config, lookup: () => undefined });
  closing.push(() => pool.close());
  const call = createCallTool({
    pool,
    sessions: new McpSessions(pool),
    blobs: createLocalBlobStore(await mkdtemp(join(tmpdir(), 'steersman-calls-'))),
    readArguments: () => Promise.reject(new Error('not asked for')),
    openWorkspace: async path => real ?? path,
    deniedTools: async () => deny,
  });
  return new MockActivityEnvironment().run<[CallToolInput], CallToolResult, typeof call>(call, {
    callId: 'c1',
    toolUseId: 't1',
    tool: 'far__echo',
    serverToolName: 'echo',
    server: 'far',
    arguments: {},
    timeoutMs: 60_000,
    idempotent: false,
    workspace: process.cwd(),
    idempotencyKey: 'chain-1-t1',
    goal: 1,
    taskId: null,
    context: {},
    ...input,
  });
}

test('call tool: a server that is busy, more often than a server is tried → waits as asked and runs once, whatever the tool does', async () => {
  let posts = 0;
  const { ending, content } = await callWith({
    'tools/call': (id, res) => {
      posts += 1;
      if (posts < 6) res.writeHead(429, { 'retry-after-ms': '2' }).end('slow down');
      else give(id, res, [{ type: 'text', text: 'done' }]);
    },
  });
  expect({ ending, content, posts }).toEqual({
    ending: 'executed',
    content: [{ type: 'text', text: 'done' }],
    posts: 6,
  });
});

test('call tool: a server that is busy and does not say for how long → a tool that may be called again waits for it', async () => {
  let posts = 0;
  const answers: Record<string, McpAnswer> = {
    'tools/call': (id, res) => {
      posts += 1;
      if (posts === 1) res.writeHead(429).end('slow down');
      else give(id, res, []);
    },
  };
  expect([await callWith(answers, { idempotent: true }), posts]).toMatchObject([{ ending: 'executed' }, 2]);
});

test('call tool: a server that is busy for longer than the tool may take → unavailable at once, not run, in the server’s words', async () => {
  let posts = 0;
  const result = await callWith({
    'tools/call': (_, res) => {
      posts += 1;
      res.writeHead(429, { 'retry-after': '120' }).end('quota used up');
    },
  });
  expect(posts).toBe(1);
  expect(result).toMatchObject({
    ending: 'unavailable',
    note: expect.stringMatching(/^Not run: .* far takes no more calls for now/),
    content: [{ type: 'text', text: expect.stringContaining('quota used up') }],
  });
});

test.each([
  [-32_602, 'echo', true, 'invalid', /refused the arguments/],
  [
    -32_602,
    'echo',
    false,
    'outcome_unknown',
    /may or may not have taken effect: .* far answered that the arg/,
  ],
  [-32_602, 'fly', false, 'unavailable', /no longer has this tool/],
  [-32_601, 'fly', false, 'unavailable', /no longer has this tool/],
  [-32_601, 'fly', true, 'unavailable', /no longer has this tool/],
  [-32_601, 'echo', true, 'unavailable', /does not know this tool/],
  [
    -32_601,
    'echo',
    false,
    'outcome_unknown',
    /far answered with an error that does not say whether far__echo/,
  ],
  [-32_000, 'echo', false, 'outcome_unknown', /may or may not have taken effect: .* does not say whether/],
  [-32_001, 'echo', false, 'outcome_unknown', /may or may not have taken effect: .* does not say whether/],
  [-32_001, 'echo', true, 'executed', /^$/],
])(
  'call tool: refused with %i, %s of a server with echo, idempotent: %s → %s, by what it listed (TR5)',
  async (code, serverToolName, idempotent, ending, note) => {
    const refuse: McpAnswer = (id, res) => json(res, { jsonrpc: '2.0', id, error: { code, message: 'no' } });
    const result = await callWith({ 'tools/call': refuse }, { serverToolName, idempotent });
    expect(result).toMatchObject({ ending, note: expect.stringMatching(note), isError: true });
  },
);

test.each([
  ['leaves the list through its own effect', ['echo'], 'outcome_unknown'],
  ['had left the list', [], 'unavailable'],
])('call tool: refused as unknown, the tool %s → %s', async (_, before, ending) => {
  let isCalled = false;
  const answers: Record<string, McpAnswer> = {
    'tools/list': (id, res) => {
      const tools = (isCalled ? [] : before).map(name => ({ name }));
      json(res, { jsonrpc: '2.0', id, result: { tools } });
    },
    'tools/call': (id, res) => {
      isCalled = true;
      json(res, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'Unknown tool' } });
    },
  };
  expect(await callWith(answers, {})).toMatchObject({
    ending,
    content: [{ type: 'text', text: expect.stringContaining('Unknown tool') }],
  });
});

test('call tool: listed as one that is only called as a task → not sent, and says so (TR5)', async () => {
  const told: string[] = [];
  const result = await callWith({
    'tools/list': (id, res) => {
      const execution = { taskSupport: 'required' };
      json(res, { jsonrpc: '2.0', id, result: { tools: [{ name: 'echo', execution }] } });
    },
    'tools/call': (id, res) => {
      told.push('called');
      json(res, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'requires task augmentation' } });
    },
  });
  expect(result).toMatchObject({
    ending: 'unavailable',
    note: expect.stringMatching(/^Not run: .* as tasks/),
  });
  expect(told).toEqual([]);
});

test.each(['roots/list', 'sampling/createMessage'])(
  'call tool: a server that asks back for %s after its effect, and passes on that there is no such method → outcome unknown',
  async method => {
    // Made with the SDK: what its handler throws is its answer.
    const script = `
      const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
      const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const { appendFileSync } = await import('node:fs');
      const { z } = await import('zod');
      const server = new Server({ name: 'asks', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }));
      server.setRequestHandler(CallToolRequestSchema, async () => {
        appendFileSync(process.argv.at(-2), 'paid');
        await server.request({ method: process.argv.at(-1), params: { messages: [], maxTokens: 1 } }, z.looseObject({}));
        return { content: [] };
      });
      await server.connect(new StdioServerTransport());`;
    const effects = join(await mkdtemp(join(tmpdir(), 'steersman-asks-')), 'effects');
    const pool = poolOf({
      command: process.execPath,
      args: ['--input-type=module', '-e', script, effects, method],
      cwd: process.cwd(),
    });
    closing.push(() => pool.close());
    const blobs = createLocalBlobStore(await mkdtemp(join(tmpdir(), 'steersman-calls-')));
    const result = await toolCaller(pool, 'pay', { blobs })({ idempotent: false, workspace: process.cwd() });
    expect(result).toMatchObject({
      ending: 'outcome_unknown',
      content: [{ type: 'text', text: expect.stringContaining('Method not found') }],
    });
    expect(await readFile(effects, 'utf8')).toBe('paid');
  },
);

test.each([
  ['the name it is offered under', ['far__rm']],
  ['its name on the server', ['rm']],
  ['all of its server', ['far__*']],
  ['an argument of it', ['rm(**/.env)']],
])(
  'call tool: a workflow that calls a denied tool another name, denied by %s → not run (TR7)',
  async (_, deny) => {
    let posts = 0;
    const answers: Record<string, McpAnswer> = {
      'tools/call': (id, res) => {
        posts += 1;
        give(id, res, []);
      },
    };
    const forged = { tool: 'harmless', serverToolName: 'rm', arguments: { path: 'a/../b/.env' } };
    expect(await callWith(answers, { ...forged, deny })).toMatchObject({ ending: 'denied' });
    expect(posts).toBe(0);
    expect(await callWith(answers, { ...forged, deny: ['near__*', 'rm_*'] })).toMatchObject({
      ending: 'executed',
    });
    expect(posts).toBe(1);
  },
);

test('call tool: a part of the result that can not be read → the others, and a note which (T16)', async () => {
  const content = [{ type: 'hologram' }, { type: 'text', text: 'one' }];
  const result = await callWith({ 'tools/call': (id, res) => give(id, res, content) });
  expect(result).toMatchObject({
    ending: 'executed',
    content: [{ type: 'text', text: 'one' }],
    note: 'The tool ran. What could not be read of its result is left out: part 1, of no known type.',
    isError: false,
  });
});

test.each(['/link/secret/key', `${process.cwd()}/secret/key`, 'secret/key', './x/../secret/key'])(
  'call tool: the workspace is a link, and a denied folder in it is named as %s → not run (TR7)',
  async path => {
    let calls = 0;
    const answers: Record<string, McpAnswer> = {
      'tools/call': (id, res) => {
        calls += 1;
        give(id, res, []);
      },
    };
    const called = { arguments: { path }, workspace: '/link', real: process.cwd() };
    const { ending } = await callWith(answers, { ...called, deny: ['far__echo(secret/**)'] });
    expect({ ending, calls }).toEqual({ ending: 'denied', calls: 0 });
  },
);

/** Greets with a session, where one is given, and answers every call as told, after its effect. */
async function callAfterEffect(answer: (res: ServerResponse, nth: number) => void, session?: string) {
  let effects = 0;
  const answers: Record<string, McpAnswer> = {
    'tools/call': (_, res) => {
      effects += 1;
      answer(res, effects);
    },
  };
  return { result: await callWith(answers, {}, session), effects };
}

test.each<[string, number, Record<string, string>]>([
  ['of its tool', 400, {}],
  ['of its tool', 403, {}],
  ['of its tool, which knows no sessions', 404, {}],
  ['of its tool', 409, {}],
  ['of its tool', 422, {}],
  ['passed on by its tool', 429, {}],
  ['of its tool', 500, {}],
  ['of a proxy', 503, { 'retry-after': '0' }],
  ['to another host', 307, { location: 'http://127.0.0.2:1/mcp' }],
  ['that would lose the request', 303, { location: '/done' }],
])(
  'call tool: an answer %s after the effect, HTTP %i %j → outcome unknown, done once',
  async (_, status, headers) => {
    const { result, effects } = await callAfterEffect(res => void res.writeHead(status, headers).end('no'));
    expect([effects, result.ending]).toEqual([1, 'outcome_unknown']);
  },
);

test.each<[number, string | undefined]>([
  [401, undefined],
  [404, 'session-1'],
  [405, undefined],
  [415, undefined],
])(
  'call tool: HTTP %i, in the session %s → proves that nothing was begun: made again, then unavailable',
  async (status, session) => {
    const { result, effects } = await callAfterEffect(res => void res.writeHead(status).end('no'), session);
    expect([effects, result.ending]).toEqual([3, 'unavailable']);
    expect(result.note).not.toMatch(/nothing was sent/);
  },
);
