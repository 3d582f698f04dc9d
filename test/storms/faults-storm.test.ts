import { expect, test } from 'vitest';
import { replayAll } from '../support/histories.js';
import { startTemporal } from '../support/rig.js';
import { storm } from '../support/storm.js';

test('kill -9 of the only worker under six runs of twelve turns, twice → all complete, at most the calls in flight are repeated, no effect doubled or lost untold (E1)', async () => {
  const env = await startTemporal();
  try {
    const { client, address } = env;
    const { figures, histories } = await storm({ client, address, runs: 6, turns: 12, kills: 2 });
    expect(figures.outcomes).toEqual({ completed: 6 });
    expect(figures.models).toEqual(['gpt-5-mini']);
    expect(figures.modelRequests).toBe(6 * 12 + figures.modelCallsRepeated);
    expect(figures.modelCallsRepeatedOfOneRun).toBeLessThanOrEqual(2);
    expect(Object.keys(figures.toolCallsRepeated).filter(tool => tool !== 'echo')).toEqual([]);
    expect(figures).toMatchObject({ effectsDoubled: 0, effectsLostUntold: 0, modelCallsRescheduled: 0 });
    expect(figures.recoveryMs).toHaveLength(2);
    await replayAll(histories);
  } finally {
    await env.teardown();
  }
});
