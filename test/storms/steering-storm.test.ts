import { expect, test } from 'vitest';
import { replayAll } from '../support/histories.js';
import { startTemporal } from '../support/rig.js';
import { steerStorm } from '../support/steer-storm.js';

test('forty messages, pauses and answers at random moments, the only worker killed amid them → each is in the transcript once, in order of arrival, every call has one result (S1, S2)', async () => {
  const env = await startTemporal();
  try {
    const { client, address } = env;
    const { figures, histories } = await steerStorm({ client, address, seed: 11, messages: 40, kills: 1 });
    expect(figures).toMatchObject({
      outcome: 'completed',
      lost: [],
      doubled: [],
      outOfOrder: [],
      dropped: 0,
      unpaired: 0,
      effectsDoubled: 0,
    });
    expect(figures.notes + figures.goals).toBe(40);
    // The storm was one: each kind of thing happened.
    for (const kind of ['notes', 'goals', 'pauses', 'answers', 'toolCallsSkipped', 'kills'] as const) {
      expect([kind, figures[kind] > 0]).toEqual([kind, true]);
    }
    await replayAll(histories);
  } finally {
    await env.teardown();
  }
});
