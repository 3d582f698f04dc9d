import { expect, test, vi } from 'vitest';
import { listAll } from '../../../../src/mcp/connection/server-tools.js';

test('tool list: pages that go on and on, each in its time → given up when all together took too long', async () => {
  vi.useFakeTimers();
  try {
    const times: number[] = [];
    const slow = async (_: { cursor?: string }, withinMs: number) => {
      times.push(withinMs);
      vi.advanceTimersByTime(12_000);
      return { tools: [{ name: `tool${times.length}` }], nextCursor: String(times.length) };
    };
    await expect(listAll('held', slow)).rejects.toThrow('held takes longer than 30 s to list its tools');
    expect(times).toEqual([30_000, 18_000, 6_000]);
  } finally {
    vi.useRealTimers();
  }
});
