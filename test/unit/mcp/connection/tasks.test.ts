/** Calls that their server carries on as tasks: the fake one over HTTP, and one that answers as each test says. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PersonQuestion } from '../../../../src/activities/tools/server-requests.js';
import type { CallToolInput, CallToolResult } from '../../../../src/activities/types.js';
import type { TaskRef } from '../../../../src/core/limits/heartbeats.js';
import type { McpPool } from '../../../../src/mcp/connection/pool.js';
import { pollMs } from '../../../../src/mcp/connection/tasks.js';
import { createLocalBlobStore } from '../../../../src/shared/blobs/blob-store.js';
import { type FakeMcp, fakeMcp, startFakeMcpHttp } from '../../../support/fake-mcp-server.js';
import { json, serveHttp, serveMcp } from '../../../support/scripted-mcp.js';
import { activityEnvironment, poolOf, toolCaller } from '../../../support/tool-calls.js';

let fake: FakeMcp;
let file = '';
const closing: (() => unknown)[] = [];

beforeEach(() => {
  fake = fakeMcp();
  file = join(fake.dir, 'lines.txt');
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  fake.remove();
});

async function serve(tasks?: 'session' | 'any'): Promise<{ url: string; child: ChildProcess }> {
  const served = await startFakeMcpHttp(fake, { env: tasks ? { FAKE_MCP_TASKS: tasks } : {} });
  closing.push(() => served.child.kill('SIGKILL'));
  return served;
}

/** A worker of its own: with another pool, and so another connection. */
function worker(entry: object): {
  pool: McpPool;
  call: (
    tool: string,
    input?: Partial<CallToolInput>,
    environment?: MockActivityEnvironment,
  ) => Promise<CallToolResult>;
  asked: PersonQuestion[];
} {
  const pool = poolOf(entry);
  closing.push(() => pool.close());
  const asked: PersonQuestion[] = [];
  const askPerson = () => async (question: PersonQuestion) => {
    asked.push(question);
    const said = question.question.message;
    return { kind: 'form' as const, decision: 'accept' as const, content: { size: said.length } };
  };
  const deps = { askPerson, blobs: createLocalBlobStore(join(fake.dir, 'blobs')) };
  const call = (tool: string, input: Partial<CallToolInput> = {}, environment = activityEnvironment()) =>
    toolCaller(pool, tool, deps)({ idempotent: false, ...input }, environment);
  return { pool, call, asked };
}

const append = (gate: string): Partial<CallToolInput> => ({ arguments: { file, line: gate, gate } });
const lines = () => readFileSync(file, 'utf8').trim().split('\n');
/** Until it holds: on a busy machine that takes its time. */
const until = (holds: () => void) => vi.waitFor(holds, { timeout: 20_000 });
const textOf = ({ content: [part] }: CallToolResult) => (part && 'text' in part ? part.text : null);
const told = (event: string) => fake.events().filter(each => each.event === event);
const seen = (event: string, count = 1) => until(() => expect(told(event)).toHaveLength(count));

function watched(info: Parameters<typeof activityEnvironment>[0] = {}) {
  const environment = activityEnvironment(info);
  const beats: { task?: TaskRef; message?: string }[] = [];
  environment.on('heartbeat', details => beats.push(details));
  return { environment, beats };
}

/** Begins a call as a task in a worker that ends in order meanwhile; how it is named to the next. */
async function begin(url: string, tool: string, input: Partial<CallToolInput>): Promise<TaskRef> {
  const { pool, call } = worker({ url });
  const { environment, beats } = watched();
  const calling = call(tool, input, environment).catch(error => error);
  await until(() => expect(beats.at(-1)?.task).toBeDefined());
  environment.cancel('WORKER_SHUTDOWN');
  const failure = await calling;
  expect(failure).toMatchObject({ type: 'worker.shutdown', nonRetryable: input.idempotent !== true });
  await pool.close();
  return failure.details[0].task;
}

test.each(['task_append', 'task_read'])(
  'task: a server that takes them and %s → it is one, asked to be kept beyond the call; how it stands is told on (T22)',
  async tool => {
    const { call } = worker({ url: (await serve('session')).url });
    const { environment, beats } = watched();
    const input = tool === 'task_append' ? append('a') : { arguments: { gate: 'a' } };
    const calling = call(tool, { ...input, timeoutMs: 20_000, asksForMs: 1_000 }, environment);
    await until(() => expect(beats.at(-1)?.task).toBeDefined());
    if (tool === 'task_append') await until(() => expect(beats.at(-1)?.message).toBe('waits for a'));
    fake.openGate('a');
    expect(await calling).toMatchObject({ ending: 'executed', isError: false });
    expect(told('call')).toMatchObject([{ tool, task: { ttl: 621_000 } }]);
    // Those before it may come first: they go by time, and a busy machine takes a second to connect.
    const named = beats.find(({ task }) => task)?.task;
    expect(named).toEqual({ id: expect.any(String), session: expect.any(String) });
  },
);

test('task: a server that does not say it takes them → each tool is called plainly, whatever it says of itself', async () => {
  const { call } = worker({ url: (await serve()).url });
  fake.openGate('a');
  expect(await call('task_append', append('a'))).toMatchObject({ ending: 'executed', isError: false });
  expect(told('call').map(({ task }) => task)).toEqual([undefined]);
});

test('task: the tool fails in it → its own words, as an error of the tool', async () => {
  const { call } = worker({ url: (await serve('session')).url });
  const result = await call('task_fail');
  expect([result.ending, result.isError, textOf(result)]).toEqual([
    'executed',
    true,
    'the task failed on purpose',
  ]);
});

test.each(['session', 'any'] as const)(
  'task: its worker ends while it runs at a server that knows tasks in %s → the next try gets the result, and nothing is called twice (T22)',
  async known => {
    const { url } = await serve(known);
    const task = await begin(url, 'task_append', append('a'));
    const { call } = worker({ url });
    const { environment, beats } = watched();
    const calling = call('task_append', { ...append('a'), task }, environment);
    await until(() => expect(beats[0]?.task).toEqual(task));
    fake.openGate('a');
    const result = await calling;
    expect([result.ending, textOf(result)]).toEqual(['executed', 'appended']);
    expect(lines()).toEqual(['a']);
    expect(told('call')).toHaveLength(1);
    expect(told('cancelled')).toEqual([]);
  },
);

test('task: what stands before its server turns one request away → asked for in its session again, which nobody ends (T22)', async () => {
  const { url } = await serve('session');
  let turnedAway = 0;
  const methods: string[] = [];
  const front = await serveHttp(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    methods.push(req.method ?? '');
    if (body.includes('tasks/get') && turnedAway++ === 0) return void res.writeHead(404).end('no');
    const { host: _, ...headers } = req.headers;
    const sent = { method: req.method ?? 'GET', headers: headers as Record<string, string> };
    const got = await fetch(url, { ...sent, ...(body !== '' && { body }) });
    res.writeHead(got.status, Object.fromEntries(got.headers));
    if (got.body) Readable.fromWeb(got.body as ReadableStream).pipe(res);
    else res.end();
  });
  closing.push(front.close);
  const { call } = worker({ url: front.url });
  const calling = call('task_append', append('a'));
  await until(() => expect(turnedAway).toBeGreaterThan(1));
  fake.openGate('a');
  expect(textOf(await calling)).toBe('appended');
  expect(told('call')).toHaveLength(1);
  expect(methods).not.toContain('DELETE');
});

test('task: its session is forgotten, and the server knows the task all the same → found in another session', async () => {
  const { url } = await serve('any');
  const { id } = await begin(url, 'task_append', append('a'));
  fake.openGate('a');
  const task = { id, session: 'none' };
  const result = await worker({ url }).call('task_append', { ...append('a'), task });
  expect(textOf(result)).toBe('appended');
  expect(told('call')).toHaveLength(1);
});

test('task: the heartbeat of an earlier try names it → a read is not made again either', async () => {
  const { url } = await serve('session');
  const read = { arguments: { gate: 'a' }, idempotent: true };
  const task = await begin(url, 'task_read', read);
  fake.openGate('a');
  const { environment } = watched({ heartbeatDetails: { callId: 'c1', task } });
  expect(textOf(await worker({ url }).call('task_read', read, environment))).toBe('read a');
  expect(told('call')).toHaveLength(1);
});

test('task: its server knows it no more → a write is unknown, a read is made again (T22)', async () => {
  const first = await serve('session');
  const write = await begin(first.url, 'task_append', append('a'));
  first.child.kill('SIGKILL');
  fake.openGate('a');
  const { url } = await serve('session');
  const { call } = worker({ url });
  const lost = await call('task_append', { ...append('a'), task: write });
  expect(lost).toMatchObject({
    ending: 'outcome_unknown',
    note: expect.stringMatching(/has cancelled the task that task_append ran as, or knows it no more/),
  });
  expect(lines()).toEqual(['a']);
  const read = await call('task_read', { arguments: { gate: 'a' }, idempotent: true, task: write });
  expect(textOf(read)).toBe('read a');
});

test('task: a read whose session knows it no more → made again as a task, on a connection that has greeted the server', async () => {
  const { url } = await serve('session');
  const { session = '' } = await begin(url, 'task_append', append('a'));
  fake.openGate('b');
  const input = { arguments: { gate: 'b' }, idempotent: true, task: { id: 'gone', session } };
  expect(textOf(await worker({ url }).call('task_read', input))).toBe('read b');
  expect(told('call').at(-1)).toMatchObject({ tool: 'task_read', task: { ttl: expect.any(Number) } });
});

test('task: it may be called again, and the host denies it by now → denied', async () => {
  const { url } = await serve('session');
  const pool = poolOf({ url });
  closing.push(() => pool.close());
  const call = toolCaller(pool, 'task_read', { deniedTools: async () => ['task_read'] });
  const result = await call({ arguments: { gate: 'a' }, task: { id: 'gone' } });
  expect(result.ending).toBe('denied');
  expect(told('call')).toEqual([]);
});

test('task: a read is interrupted → cancelled at the server, too', async () => {
  const { call } = worker({ url: (await serve('session')).url });
  const { environment, beats } = watched();
  const calling = call('task_read', { arguments: { gate: 'a' }, idempotent: true }, environment);
  await until(() => expect(beats.at(-1)?.task).toBeDefined());
  environment.cancel('CANCELLED');
  expect(await calling).toMatchObject({ ending: 'cancelled' });
  await seen('cancelled');
});

test('task: a write is interrupted → waited for, as any write', async () => {
  const { call } = worker({ url: (await serve('session')).url });
  const { environment } = watched();
  const calling = call('task_append', append('a'), environment);
  await seen('effect');
  environment.cancel('CANCELLED');
  fake.openGate('a');
  expect(await calling).toMatchObject({ ending: 'executed' });
  expect(told('cancelled')).toEqual([]);
});

test('task: a write runs out of its time → unknown, and cancelled at the server', async () => {
  const { call } = worker({ url: (await serve('session')).url });
  const result = await call('task_append', { ...append('a'), timeoutMs: 2_000 });
  expect(result).toMatchObject({ ending: 'outcome_unknown' });
  await seen('cancelled');
});

test('task: two ask a person beside each other → each has the answer to its own question', async () => {
  const { call, asked } = worker({ url: (await serve('session')).url });
  const order = (message: string) => call('task_order', { arguments: { message }, asksForMs: 60_000 });
  const results = await Promise.all([order('one'), order('three')]);
  const accepted = (size: number) => JSON.stringify({ action: 'accept', content: { size } });
  expect(results.map(textOf)).toEqual([accepted(3), accepted(5)]);
  expect(asked).toHaveLength(2);
});

/** A server of one tool that is a task; `state`: how it stands, by how often it was asked. */
async function scripted(
  taskId: string,
  state: (asked: number) => object | number,
  refused: { code: number; message: string } | null = null,
): Promise<{ url: string; asked: () => number; calls: () => number }> {
  let asked = 0;
  let calls = 0;
  const answer = (result: object) => (id: number, res: Parameters<typeof json>[0]) =>
    json(res, { jsonrpc: '2.0', id, result });
  const { url, close } = await serveMcp(
    {
      'tools/list': answer({ tools: [{ name: 'echo', execution: { taskSupport: 'optional' } }] }),
      'tools/call': (id, res) => {
        calls += 1;
        answer({ task: { taskId, status: 'working', pollInterval: 1 } })(id, res);
      },
      'tasks/get': (id, res) => {
        asked += 1;
        const now = state(asked);
        if (typeof now === 'number') res.writeHead(now).end('no');
        else answer(now)(id, res);
      },
      'tasks/result': (id, res) => {
        if (refused) json(res, { jsonrpc: '2.0', id, error: refused });
        else answer({ content: [{ type: 'text', text: 'done' }] })(id, res);
      },
    },
    { tools: {}, tasks: { requests: { tools: { call: {} } } } },
  );
  closing.push(close);
  return { url, asked: () => asked, calls: () => calls };
}

const DONE = { status: 'completed' };

test('task: its server stumbles a few times → asked again, and the result is there', async () => {
  const { url, asked } = await scripted('t1', nth => (nth < 4 ? 503 : DONE));
  expect(textOf(await worker({ url }).call('echo'))).toBe('done');
  expect(asked()).toBe(4);
});

test('task: its id is too long to be kept → its result all the same, and no later try is told of it', async () => {
  const { url } = await scripted('t'.repeat(501), () => DONE);
  const { environment, beats } = watched();
  expect(textOf(await worker({ url }).call('echo', {}, environment))).toBe('done');
  expect(beats.filter(({ task }) => task)).toEqual([]);
});

test('task: its id is too long to be kept, and the server turns away who asks for it → unknown, and not called again', async () => {
  const { url, calls } = await scripted('t'.repeat(501), () => 404);
  expect(await worker({ url }).call('echo')).toMatchObject({ ending: 'outcome_unknown' });
  expect(calls()).toBe(1);
});

test.each([
  ['completed', -32_602, false, 'outcome_unknown'],
  ['completed', -32_601, false, 'outcome_unknown'],
  ['submitted', -32_602, false, 'outcome_unknown'],
  ['failed', -32_602, false, 'outcome_unknown'],
  ['failed', -32_602, true, 'invalid'],
])(
  'task: %s, and who asks for its result is refused with %i, idempotent: %s → %s',
  async (status, code, idempotent, ending) => {
    const { url, calls } = await scripted('t1', () => ({ status }), { code, message: 'unknown task' });
    const result = await worker({ url }).call('echo', { idempotent });
    expect([result.ending, textOf(result)]).toEqual([ending, expect.stringContaining('unknown task')]);
    expect(calls()).toBe(1);
  },
);

test('task: its server cancels it → unknown, with its words', async () => {
  const { url } = await scripted('t1', () => ({ status: 'cancelled', statusMessage: 'no budget' }));
  const result = await worker({ url }).call('echo');
  expect([result.ending, textOf(result)]).toEqual(['outcome_unknown', 'its server cancelled it. no budget']);
});

test.each([
  [undefined, 0, 1_000],
  [0, 0, 100],
  [-5, 0, 100],
  [2_500, 0, 2_500],
  [3_600_000, 0, 10_000],
  [200, 3, 1_600],
  [5_000, 3, 10_000],
])('task: its server wants to be asked every %s ms, after %i faults → %i ms', (asked, faults, ms) => {
  expect(pollMs(asked, faults)).toBe(ms);
});
