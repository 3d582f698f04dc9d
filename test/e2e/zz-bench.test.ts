import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { startRig, startTemporal } from '../support/rig.js';

test('bench', async () => {
  const { REPO: repo = '', GOAL: goal = '', OUT: out = '', TRACE } = process.env;
  const env = await startTemporal();
  const rig = await startRig({ env, replay: false });
  try {
    const t = Date.now();
    const { result, handle } = await rig.run(goal, { workspace: repo, model: 'rehearsal' });
    const d = await handle.describe();
    console.log(
      JSON.stringify({
        ms: Date.now() - t,
        outcome: result.outcome,
        history: [d.historyLength, d.historySize],
        tasks: result.tasks.map(x => [x.id, x.status, x.rounds, x.reason]),
        counters: (result as never as { counters: unknown }).counters,
        usage: result.usage,
      }),
    );
    writeFileSync(out, result.answer);
    if (TRACE)
      console.log(
        result.trace.steps
          .map(s => JSON.stringify([s.action, s.ending, s.elapsedMs, s.observation.slice(0, 100)]))
          .join('\n'),
      );
  } finally {
    await rig.close();
    await env.teardown();
  }
}, 200_000);
