import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createCallTool } from '../../../src/activities/tools/call-tool.js';
import type { CallToolInput, CallToolResult } from '../../../src/activities/types.js';
import type { McpConfig } from '../../../src/mcp/connection/config.js';
import { McpPool } from '../../../src/mcp/connection/pool.js';
import { McpSessions } from '../../../src/mcp/connection/sessions.js';
import { type CodeTool, defineTool, type ToolContext } from '../../../src/mcp/tools/code-tools.js';
import { listRunTools } from '../../../src/mcp/tools.js';
import { activityEnvironment, poolOf as ownPool } from '../../support/tool-calls.js';

const WORKSPACE = '/srv/orders';
let pools: McpPool[] = [];

afterEach(async () => {
  await Promise.all(pools.map(pool => pool.close()));
  pools = [];
});

/** The workspace tools, as `.mcp.json` names them. */
function ownServer(): McpPool {
  return ownPool({ command: 'steersman', args: ['tools', process.cwd(), '--with', 'fetch'] });
}

function poolOf(codeTools: CodeTool[], servers: McpConfig['servers'] = []): McpPool {
  const config = { file: '.mcp.json', dir: '/', servers, warnings: [] };
  const pool = new McpPool({ config, lookup: () => undefined, codeTools });
  pools.push(pool);
  return pool;
}

async function call(tool: CodeTool, args: Record<string, unknown>, more: { signal?: AbortSignal } = {}) {
  const connection = await poolOf([tool]).connect('in-code', WORKSPACE);
  const progress: unknown[] = [];
  const own = { 'steersman/runId': 'r1', 'steersman/idempotencyKey': 'k1', 'steersman/goal': '1' };
  const meta = { ...own, 'steersman.context/goal': 'a gift', 'x/y': 'z' };
  const answer = await connection.callTool({
    tool: tool.name,
    arguments: args,
    meta,
    timeoutMs: 60_000,
    signal: more.signal ?? new AbortController().signal,
    onProgress: details => progress.push(details),
  });
  return { answer, progress };
}

const payWith = (run: () => unknown) => defineTool({ name: 'pay', description: '', run });

const lookUp = defineTool({
  name: 'look_up_order',
  description: 'Finds an order.',
  input: z.object({ id: z.string().regex(/^A/), limit: z.number().default(3) }),
  readOnly: true,
  run: ({ id, limit }) => ({ id, limit }),
});

describe('tools in code', () => {
  test('listed for a run → their own names, schema, policy', async () => {
    const refund = defineTool({ name: 'refund', description: 'Pays back.', run: () => 'paid' });
    const { tools, warnings } = await listRunTools(poolOf([lookUp, refund]), WORKSPACE);
    expect(warnings).toEqual([]);
    expect(tools.map(({ name }) => name)).toEqual(['look_up_order', 'refund', 'read_result']);
    expect(tools[0]).toMatchObject({
      origin: { type: 'mcp', server: 'in-code' },
      validation: 'strict',
      inputSchema: { type: 'object', required: ['id'] },
      policy: { readOnly: true, idempotent: true },
    });
    expect(tools[1]?.policy).toMatchObject({ readOnly: false, idempotent: false });
  });

  test('those that read the workspace, listed for a run → read anew by each call; what writes and fetches is as it was (WK7)', async () => {
    const pool = ownServer();
    pools.push(pool);
    const { tools } = await listRunTools(pool, process.cwd());
    const cached = tools.filter(({ policy }) => policy.cache === 'goal').map(({ name }) => name);
    expect(cached.sort()).toEqual(['delete', 'edit', 'fetch', 'move', 'run', 'write']);
    expect(tools.find(({ name }) => name === 'run')?.policy.stoppable).toBe(true);
  });

  test('called → arguments with their defaults; a value is JSON', async () => {
    const { answer } = await call(lookUp, { id: 'A-1' });
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: '{"id":"A-1","limit":3}' }],
      isError: false,
    });
  });

  test('a required argument with a default, of a JSON Schema, left out → the function is given the default', async () => {
    const click = defineTool({
      name: 'click',
      description: '',
      input: {
        type: 'object',
        properties: { button: { type: 'string', default: 'left' }, times: { default: 1 } },
        required: ['button'],
      },
      run: args => args,
    });
    const { answer } = await call(click, {});
    expect(answer.content).toEqual([{ type: 'text', text: '{"button":"left"}' }]);
  });

  test('arguments that only the schema in code refuses → rejected, and the function is not called', async () => {
    await expect(call(lookUp, { id: 'B-1' })).rejects.toMatchObject({ kind: 'rejected', code: -32_602 });
  });

  test('a function that throws → a result that is an error', async () => {
    const fails = defineTool({
      name: 'fails',
      description: '',
      run: () => {
        throw new Error('the warehouse is closed');
      },
    });
    const { answer } = await call(fails, {});
    expect(answer).toMatchObject({
      content: [{ type: 'text', text: 'the warehouse is closed' }],
      isError: true,
    });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  test.each([
    ['a cycle', cycle],
    ['a function', () => 'paid'],
    ['a symbol', Symbol('paid')],
  ])('a result that is no JSON: %s → it ran, and says that its result can not be shown', async (_, value) => {
    const run = vi.fn(() => value);
    const { answer } = await call(payWith(run), {});
    expect(answer).toMatchObject({
      content: [
        { type: 'text', text: expect.stringMatching(/^The tool has run\. Its result is not JSON: /) },
      ],
      isError: false,
    });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['a BigInt', 12345678901234567890n, '12345678901234567890'],
    ['with one in it', { paid: [12345678901234567890n] }, '{"paid":["12345678901234567890"]}'],
  ])('FE1: a result that is %s → all its digits', async (_, value, text) => {
    const { answer } = await call(
      payWith(() => value),
      {},
    );
    expect(answer).toMatchObject({ content: [{ type: 'text', text }], isError: false });
  });

  test('a function that throws an error of the protocol after its effect → a failed call, no refused arguments', async () => {
    const pay = payWith(async () => {
      // Of a tool of its own that it calls, after the payment.
      await lookUp.run({ id: 'B-1' }, {} as ToolContext);
    });
    const refuses = defineTool({
      name: 'refuses',
      description: '',
      run: () => {
        throw new McpError(ErrorCode.InvalidParams, 'the order is closed');
      },
    });
    for (const tool of [pay, refuses]) {
      const { answer } = await call(tool, {});
      expect(answer.isError).toBe(true);
    }
  });

  test('context → workspace, ids, what the start gave, progress', async () => {
    let seen: ToolContext | null = null;
    const tool = defineTool({
      name: 'looks',
      description: '',
      run: (_args, context) => {
        seen = context;
        context.progress(1, 2, 'half');
      },
    });
    const { answer, progress } = await call(tool, {});
    expect(answer.content).toEqual([]);
    expect(seen).toMatchObject({
      workspace: WORKSPACE,
      runId: 'r1',
      idempotencyKey: 'k1',
      taskId: null,
      values: { goal: 'a gift', 'x/y': 'z' },
    });
    expect(progress).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  test('a call that is given up → its signal is aborted', async () => {
    const stop = new AbortController();
    let aborted: () => void = () => {};
    const told = new Promise<void>(resolve => {
      aborted = resolve;
    });
    const waits = defineTool({
      name: 'waits',
      description: '',
      readOnly: true,
      run: (_args, { signal }) => {
        signal.addEventListener('abort', () => aborted());
        stop.abort();
        return told;
      },
    });
    await expect(call(waits, {}, { signal: stop.signal })).rejects.toMatchObject({ kind: 'aborted' });
    await told;
  });

  test.each([
    ['a name that models cannot call', () => defineTool({ name: 'look up', description: '', run: () => '' })],
    [
      'an input that is no object',
      () => defineTool({ name: 'a', description: '', input: z.string(), run: () => '' }),
    ],
    ['two of one name', () => poolOf([lookUp, lookUp])],
    [
      'a server of the kept name',
      () =>
        poolOf(
          [lookUp],
          [{ type: 'http', name: 'in-code', url: 'http://x', headers: {}, startTimeoutMs: 1 }],
        ),
    ],
  ])('%s → refused at once, with the remedy', (_case, make) => {
    expect(make).toThrow(
      expect.objectContaining({ name: 'SteersmanError', remedy: expect.stringMatching(/\w/) }),
    );
  });
});

/** By the activity that runs make, with a store that is not asked for. */
async function callByRun(
  tool: CodeTool,
  input: Partial<CallToolInput>,
  deny: string[] = [],
  environment = activityEnvironment(),
) {
  const unused = () => Promise.reject(new Error('not asked for'));
  const pool = poolOf([tool]);
  const call = createCallTool({
    pool,
    sessions: new McpSessions(pool),
    blobs: { put: unused, read: unused },
    readArguments: unused,
    openWorkspace: async path => path,
    deniedTools: async () => deny,
  });
  const ids = {
    callId: 'c1',
    toolUseId: 't1',
    tool: tool.name,
    serverToolName: tool.name,
    server: 'in-code',
  };
  return environment.run<[CallToolInput], CallToolResult, typeof call>(call, {
    ...ids,
    arguments: {},
    timeoutMs: 60_000,
    idempotent: false,
    workspace: WORKSPACE,
    idempotencyKey: 'chain-1-t1',
    goal: 1,
    taskId: null,
    context: {},
    ...input,
  });
}

describe('a tool in code, called by a run', () => {
  const messageOf = (message: unknown) => Object.assign(new Error('x'), { message });
  const fails = () => {
    throw new McpError(ErrorCode.InvalidParams, 'not this one');
  };
  test.each<[string, unknown]>([
    ['whose message is an object', messageOf({ status: 502 })],
    ['without a message', messageOf(undefined)],
    ['whose message is a number', messageOf(409)],
    ['that cannot be shown', { toString: fails, toJSON: fails }],
    ['of an object without a prototype', Object.create(null)],
    ['of the protocol, about arguments', new McpError(ErrorCode.InvalidParams, 'no such order')],
    ['of the protocol, about a method', new McpError(ErrorCode.MethodNotFound, 'no such method')],
  ])('an error %s, after its effect → it ran and failed', async (_, thrown) => {
    const run = vi.fn(() => {
      throw thrown;
    });
    expect(await callByRun(payWith(run), {})).toMatchObject({ ending: 'executed', isError: true });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test.each(['itself', 'the tool that it wraps'])(
    'after its effect it calls %s with arguments that do not fit → it ran and failed',
    async whom => {
      const effects: number[] = [];
      const made: CodeTool = defineTool({
        name: 'pay',
        description: '',
        input: z.object({ amount: z.number().refine(amount => amount > 0, 'nothing to pay') }),
        run: ({ amount }, context) => {
          effects.push(amount);
          return whom === 'itself' ? made.run({ amount: 0 }, context) : 'paid';
        },
      });
      const wrapped: CodeTool = {
        ...made,
        run: async (args, context) => {
          await made.run(args, context);
          return made.run({ amount: 0 }, context);
        },
      };
      const tool = whom === 'itself' ? made : wrapped;
      const result = await callByRun(tool, { arguments: { amount: 1 } });
      expect(result).toMatchObject({ ending: 'executed', isError: true });
      expect(effects).toEqual([1]);
    },
  );

  test('arguments that only the schema in code refuses → invalid, and the function is not called', async () => {
    const result = await callByRun(lookUp, { arguments: { id: 'B-1' } });
    expect(result).toMatchObject({ ending: 'invalid', note: expect.stringContaining('Correct them') });
  });

  const hangs = (onAbort: () => void) =>
    defineTool({
      name: 'hangs',
      description: '',
      run: (_args, { signal }) =>
        new Promise(() => signal.addEventListener('abort', onAbort, { once: true })),
    });

  test('no answer in its time, and it may have had an effect → unknown, and the function is told', async () => {
    let told: () => void = () => {};
    const aborted = new Promise<void>(resolve => {
      told = resolve;
    });
    const result = await callByRun(
      hangs(() => told()),
      { timeoutMs: 20 },
    );
    expect(result).toMatchObject({ ending: 'outcome_unknown', isError: true });
    await aborted;
  });

  test('a function throws that may be called again → tried again, until its last attempt has a result; others are not (CF3)', async () => {
    const closed = (more: object = {}) =>
      defineTool({
        name: 'look',
        description: '',
        readOnly: true,
        run: () => {
          throw Object.assign(new Error('the warehouse is closed'), more);
        },
      });
    const attempt = (attempt: number) =>
      activityEnvironment({ attempt, retryPolicy: { maximumAttempts: 3 } });
    const read = { idempotent: true };
    for (const early of [1, 2])
      await expect(callByRun(closed(), read, [], attempt(early))).rejects.toMatchObject({
        ...{ type: 'tool.threw', nonRetryable: false, message: 'the warehouse is closed' },
      });
    const results = [
      await callByRun(closed(), read, [], attempt(3)),
      await callByRun(closed({ nonRetryable: true }), read, [], attempt(1)),
      await callByRun(closed(), { idempotent: false }, [], attempt(1)),
    ];
    for (const result of results) expect(result).toMatchObject({ ending: 'executed', isError: true });
  });

  test('no answer in its time, and twice does no harm → tried again', async () => {
    const again = callByRun(
      hangs(() => {}),
      { timeoutMs: 20, idempotent: true },
    );
    await expect(again).rejects.toMatchObject({ type: 'tool.timeout', nonRetryable: false });
  });

  test.each([['hangs'], ['in-code__*']])('denied by %s → not called', async glob => {
    expect(
      await callByRun(
        hangs(() => {}),
        {},
        [glob],
      ),
    ).toMatchObject({ ending: 'denied' });
  });
});
