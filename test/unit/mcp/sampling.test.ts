/** What a server asks of a model: the fake one, in a process of its own, over the activity that runs make. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallToolInput, CallToolResult } from '../../../src/activities/types.js';
import type { McpPool } from '../../../src/mcp/connection/pool.js';
import { listRunTools } from '../../../src/mcp/tools.js';
import { modelInfo } from '../../../src/models/model-info.js';
import type { ModelDelta, ModelProvider, ModelRequest } from '../../../src/models/provider.js';
import { type FakeMcp, fakeMcp } from '../../support/fake-mcp-server.js';
import { poolOf, toolCaller } from '../../support/tool-calls.js';

let fake: FakeMcp;
const pools: McpPool[] = [];
let asked: ModelRequest[] = [];

beforeEach(() => {
  fake = fakeMcp();
  asked = [];
});
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
  fake.remove();
});

const provider: ModelProvider = {
  name: 'p',
  endpoint: 'http://p',
  listModels: async () => [],
  async *stream(request): AsyncIterable<ModelDelta> {
    asked.push(request);
    const text = `Reply ${asked.length}, hunter2.`;
    yield { type: 'text', offset: 0, text };
    const counts = { inputTokens: 20, outputTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 };
    yield { type: 'usage', usage: counts };
    yield { type: 'end', stopReason: 'end_turn', servedModel: null };
  },
};

function rig(sampling: boolean, answering: ModelProvider = provider) {
  const pool = poolOf({ ...fake.stdioEntry(), sampling });
  pools.push(pool);
  const calling = toolCaller(pool, 'sample', {
    resolveModel: id => ({ provider: answering, model: id.slice(2), info: modelInfo('p/a') }),
    redact: said => said.replaceAll('hunter2', '[secret]'),
  });
  const call = (times: number, input: Partial<CallToolInput> = {}): Promise<CallToolResult> =>
    calling({
      arguments: { times },
      ...(sampling && { sampling: { model: 'p/a', tokens: 50_000, costUsd: null } }),
      ...input,
    });
  return { pool, call };
}

const said = ({ content }: CallToolResult): string[] => {
  const [part] = content;
  return part && 'text' in part && part.text !== undefined ? JSON.parse(part.text) : [];
};

test('sampling: a server that may asks a model → the run’s, with its text alone; what it used is told with the result (T21)', async () => {
  const { call } = rig(true);
  const result = await call(2);
  expect(said(result)).toEqual(['Reply 1, [secret].', 'Reply 2, [secret].']);
  expect(asked[0]).toMatchObject({ model: 'a', system: 'Be brief.', tools: [], maxOutputTokens: 100 });
  expect(asked[0]?.messages).toMatchObject([
    { kind: 'user', content: [{ type: 'text', text: 'Sum up 1.' }] },
  ]);
  expect(result.sampled).toMatchObject({ inputTokens: 40, outputTokens: 20 });
});

test('sampling: more requests than one call may make → the eleventh is refused, and says so', async () => {
  const words = said(await rig(true).call(11));
  expect(words[9]).toBe('Reply 10, [secret].');
  expect(words[10]).toContain('the limit of this call, or of its run, is used up');
  expect(asked).toHaveLength(10);
});

test.each([
  ['no tokens', { tokens: 0, costUsd: null }, 0],
  ['tokens for one', { tokens: 35, costUsd: null }, 1],
  ['no money', { tokens: 1_000, costUsd: 0 }, 0],
])('sampling: a run with %s left → no more requests than that', async (_, left, times) => {
  const result = await rig(true).call(3, { sampling: { model: 'p/a', ...left } });
  expect(said(result).filter(text => text.includes('used up'))).toHaveLength(3 - times);
  expect(asked).toHaveLength(times);
});

test('sampling: the model fails → the server is told, the call goes on, and the request counts', async () => {
  const failing: ModelProvider = {
    ...provider,
    // biome-ignore lint/correctness/useYield: it fails before it says anything.
    async *stream() {
      throw new Error('no connection');
    },
  };
  const result = await rig(true, failing).call(1);
  expect(said(result)[0]).toContain('the model gave no reply: no connection');
  expect(result.sampled).toMatchObject({ outputTokens: 0, estimated: true });
});

test.each([
  ['answers', 20_000, true],
  ['takes too long', 1_500, false],
])(
  'sampling: the server %s while it waits for a model → what is under way ends and counts, the rest is not begun',
  async (_, timeoutMs, answers) => {
    let aborted = 0;
    const slow: ModelProvider = {
      ...provider,
      async *stream(request, signal) {
        asked.push(request);
        yield { type: 'text', offset: 0, text: 'Well' };
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            aborted += 1;
            reject(signal.reason);
          }),
        );
      },
    };
    const leaving = { tool: 'sample_and_leave', serverToolName: 'sample_and_leave', idempotent: false };
    const running = rig(true, slow).call(1, { ...leaving, arguments: { gate: 'g' }, timeoutMs });
    await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 8_000 });
    if (answers) fake.openGate('g');
    expect((await running).sampled).toMatchObject({ estimated: true });
    expect([asked.length, aborted]).toEqual([1, 1]);
  },
);

test('sampling: a server that may not → it is not announced to it, and its tools are not marked', async () => {
  const { call, pool } = rig(false);
  const result = await call(1);
  expect(said(result)[0]).toContain('Method not found');
  expect(result.sampled).toBeUndefined();
  expect(asked).toEqual([]);
  const { tools } = await listRunTools(pool, process.cwd());
  expect(tools[0]?.origin).toEqual({ type: 'mcp', server: 'fake' });
});
