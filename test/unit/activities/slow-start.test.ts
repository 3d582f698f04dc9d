/** A stateful server that takes its time to start: on a clock of the test's own. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallToolInput } from '../../../src/activities/types.js';
import { secondsOf } from '../../../src/base/text/error-text.js';
import { McpCallError } from '../../../src/mcp/connection/call-failure.js';
import type { McpConnection } from '../../../src/mcp/connection/connection.js';
import type { McpPool } from '../../../src/mcp/connection/pool.js';
import { McpSessions } from '../../../src/mcp/connection/sessions.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';
import { createLocalBlobStore } from '../../../src/shared/store/blob-store.js';
import { toolCaller } from '../../support/tool-calls.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** One call that opens a session with a server that is there after so long. */
async function callAt(startsAfterMs: number, input: Partial<CallToolInput>) {
  let starts = 0;
  const answer = { content: [], isError: false, unreadable: [] };
  const connection = {
    closed: false,
    toolsChangedAt: null,
    findTool: async () => undefined,
    callTool: async () => answer,
    close: async () => {},
  } as Partial<McpConnection> as McpConnection;
  const sessions = new McpSessions({
    connectAlone: () => {
      starts += 1;
      return new Promise(resolve => setTimeout(() => resolve(connection), startsAfterMs));
    },
  });
  sessions.serve('q/1', async () => true);
  const pool = { config: { servers: [] } } as unknown as McpPool;
  const blobs = createLocalBlobStore(join(tmpdir(), 'unused'));
  const calling = toolCaller(pool, 'look', { sessions, blobs })({ session: null, ...input });
  await vi.advanceTimersByTimeAsync(300_000);
  const result = await calling;
  await sessions.close();
  return { ending: result.ending, hasSession: result.session !== undefined, starts };
}

test('stateful server: it may take 60 s to start, and takes 45 → its call runs in the session that was opened (T18)', async () => {
  expect(await callAt(45_000, { startTimeoutMs: 60_000 })).toEqual({
    ending: 'executed',
    hasSession: true,
    starts: 1,
  });
});

test.each([
  [45_000, undefined],
  [90_000, 60_000],
])(
  'stateful server: it takes %i ms to start, and may take %s → not run, and no session',
  async (ms, most) => {
    const input = most === undefined ? {} : { startTimeoutMs: most };
    expect(await callAt(ms, input)).toMatchObject({ ending: 'unavailable', hasSession: false });
  },
);

/** A call by a connection that stood until now; its server is there again after so long. */
async function callOfRestarted(awayMs: number, input: Partial<CallToolInput>) {
  let calls = 0;
  const startedAt = performance.now();
  const connection = {
    closed: false,
    toolsChangedAt: null,
    findTool: async () => undefined,
    callTool: async () => {
      if (calls++ > 0) return { content: [], isError: false, unreadable: [] };
      throw new McpCallError('not_begun', 'ECONNREFUSED', { proof: 'not_connected', reconnect: true });
    },
  } as Partial<McpConnection> as McpConnection;
  const pool = {
    config: { servers: [] },
    connect: async () => {
      if (calls === 0 || performance.now() - startedAt >= awayMs) return connection;
      throw new SteersmanError('Tool server fake cannot be reached: ECONNREFUSED', '');
    },
  } as unknown as McpPool;
  const blobs = createLocalBlobStore(join(tmpdir(), 'unused'));
  const calling = toolCaller(pool, 'look', { blobs })(input);
  await vi.advanceTimersByTimeAsync(60_000);
  const { ending, note } = await calling;
  return { ending, note, calls };
}

test.each([
  [7_000, 60_000, 'executed'],
  [14_000, 60_000, 'executed'],
  [30_000, 60_000, 'unavailable'],
  [7_000, 1_000, 'unavailable'],
])(
  'tool server: it starts anew under a call, away for %i ms, of a tool with %i ms → %s',
  async (awayMs, timeoutMs, ending) => {
    const result = await callOfRestarted(awayMs, { timeoutMs, idempotent: false });
    expect([result.ending, result.calls]).toEqual([ending, ending === 'executed' ? 2 : 1]);
  },
);

test.each([
  [false, /^Not run: the tool server fake could not be reached/],
  [true, /^The tool server fake could not be reached/],
])(
  'tool server: it can not be reached, and the tool may be called again: %s → said to be not run only where no earlier try can have run it',
  async (idempotent, note) => {
    expect((await callOfRestarted(60_000, { idempotent })).note).toMatch(note);
  },
);

test('a limit in a sentence: milliseconds that a subtraction left → seconds with two decimals at most', () => {
  expect([860.3999999999999, 20_000, 1_500].map(secondsOf)).toEqual([0.86, 20, 1.5]);
});
