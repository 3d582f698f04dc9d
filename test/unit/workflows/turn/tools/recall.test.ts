/** What a call of `recall` is told besides what it finds. */
import { expect, test } from 'vitest';
import { recallTool } from '../../../../../src/shared/store/recall.js';
import { runNextCalls } from '../../../../../src/workflows/turn/tools/run-tools.js';
import { runAtCalls } from '../../../../support/small-run.js';

const AWAY = { kind: 'application' as const, type: '', message: 'no space left' };

test.each([
  { away: true, note: expect.stringContaining('may be missing here') },
  { away: false, note: '' },
])('X7: recall while the store takes nothing ($away) → the model is told what that means', async given => {
  const keep = async () =>
    given.away ? { ok: false as const, failure: AWAY } : { ok: true as const, value: null };
  const { run, results } = runAtCalls([{ name: 'recall', input: { query: 'pool' } }], {
    pinned: { keeps: true, tools: [recallTool] },
    ports: { keep },
  });
  const { batch } = run.state.cursor.position.turns;
  if (batch) await runNextCalls(run, batch);
  expect(results()).toMatchObject([{ ending: 'executed', note: given.note }]);
});
