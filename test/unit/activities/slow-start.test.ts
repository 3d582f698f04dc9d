/** A stateful server that takes its time to start: on a clock of the test's own. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallToolInput } from '../../../src/activities/types.js';
import { createLocalBlobStore } from '../../../src/blobs/blob-store.js';
import type { McpConnection } from '../../../src/mcp/connection.js';
import type { McpPool } from '../../../src/mcp/pool.js';
import { McpSessions } from '../../../src/mcp/sessions.js';
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
