import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { REPORTS_BYTES } from '../../../../src/base/sizes/bounds.js';
import { OWN_TOOLS } from '../../../../src/features/workers.js';
import { type CallFailure, FAILURE } from '../../../../src/run/limits/failure.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';
import { answeringAt } from '../../../../src/run/position/position.js';
import { addWorkflowTools } from '../../../../src/run/tools/workflow-tools.js';
import { requestStop } from '../../../../src/workflows/inbox/inbox-handlers.js';
import { keepText, offloadReports } from '../../../../src/workflows/run/keep-text.js';
import { runNextCalls } from '../../../../src/workflows/turn/tools/run-tools.js';
import { runTurns } from '../../../../src/workflows/turn/turn-loop.js';
import { task } from '../../../support/core-values.js';
import { fileTool, runAtCalls, testRole } from '../../../support/small-run.js';

const FULL: CallFailure = { kind: 'application', type: '', message: 'no space left on device' };

/** A run whose store takes all, or fails; `asked` are the tries it was given for each text. */
function runWithStore(failure: CallFailure | null) {
  const { run } = runAtCalls([]);
  const stored = new Map<string, string>();
  const asked: boolean[] = [];
  run.ports.storeText = async ({ name, text }, { once }) => {
    asked.push(once);
    if (failure) return { ok: false, failure };
    stored.set(`blob:${name}`, text);
    return { ok: true, value: { ref: `blob:${name}` } };
  };
  const failures = () => run.state.log.journal.events.filter(({ type }) => type === 'store_failed');
  return { run, stored, asked, failures };
}

const LONG = `begin ${'帆'.repeat(30_000)} end`;

describe('keepText', () => {
  test('a text that fits → as it is, nothing is stored', async () => {
    const { run, asked } = runWithStore(null);
    expect(await keepText(run, 'goal', 'short', 100)).toBe('short');
    expect(asked).toEqual([]);
  });

  test('a long text → head and tail with a reference to the whole', async () => {
    const { run, stored } = runWithStore(null);
    expect(await keepText(run, 'goal', LONG, 64_000)).toMatch(/^begin [\s\S]*ref blob:goal[\s\S]* end$/);
    expect(stored.get('blob:goal')).toBe(LONG);
  });

  test('the store does not work → cut with a mark, said once, and tried only once from then on (ST6)', async () => {
    const { run, asked, failures } = runWithStore(FULL);
    for (const name of ['goal', 'answer']) {
      const kept = await keepText(run, name, LONG, 64_000);
      expect(kept).toMatch(/… \[cut: \d+ characters, the store was not available\]$/);
      expect(jsonBytes(kept)).toBeLessThanOrEqual(64_000);
    }
    expect(asked).toEqual([false, true]);
    expect(failures()).toMatchObject([{ what: 'goal', why: 'no space left on device' }]);
  });

  test('a stop while the store is waited for → cut, and no fault of the store (ST6)', async () => {
    const { run, failures } = runWithStore({ kind: 'cancelled', type: '', message: '' });
    expect(await keepText(run, 'goal', LONG, 64_000)).toContain('the store was not available');
    expect([failures(), run.state.log.storeFailed]).toEqual([[], false]);
  });
});

describe('offloadReports', () => {
  test.each([null, FULL])(
    'reports over their bound, store failing with %j → the oldest are cut, the last is whole (ST1, ST6)',
    async failure => {
      const { run } = runWithStore(failure);
      const report = '帆'.repeat(12_000);
      run.state.tasks = [1, 2, 3, 4].map(n => task(`task-${n}`, { status: 'completed', result: report }));
      await offloadReports(run);
      const results = run.state.tasks.map(({ result }) => result ?? '');
      expect(jsonBytes(results)).toBeLessThanOrEqual(REPORTS_BYTES);
      expect(results[0]).toContain(failure ? 'the store was not available' : 'ref blob:report-task-1');
      expect(results.at(-1)).toBe(report);
    },
  );
});

test('a stop while the text of an interrupted reply is kept → no model is called after it (L10)', async () => {
  const { run } = runAtCalls([], {
    pinned: { roles: { react: testRole('react', { output: 'text', memory: 'private' }) } },
  });
  run.state.cursor.position = answeringAt();
  run.state.cursor.position.turns.instructed = true;
  run.append(run.thread('react'), {
    ...{
      id: 'm9',
      at: 0,
      kind: 'assistant',
      action: 'thinking',
      role: 'react',
      model: 'p/a',
      usage: NO_USAGE,
    },
    content: [{ type: 'text', text: LONG }],
    stopReason: 'interrupted',
  });
  run.ports.storeText = async () => {
    requestStop(run, null);
    return { ok: true, value: { ref: 'blob:reply' } };
  };
  const spec = {
    role: 'react',
    output: 'text',
    maxRounds: 3,
    tools: true,
    instruction: () => 'Go on.',
  } as const;
  expect(await runTurns(run, spec)).toEqual({ kind: 'stopped' });
  expect(run.state.log.journal.events.map(({ type }) => type)).not.toContain('model_call_started');
});

test.each([
  [
    'a result that its worker could not keep',
    'read',
    { ending: 'executed', note: /whole result could not be kept/ },
  ],
  [
    'an artifact that could not be stored',
    'create_artifact',
    { ending: 'unavailable', note: /^Unavailable.*Nothing was written/s },
  ],
])('the store does not take %s → the model is told so, and the journal once (ST6)', async (_, name, told) => {
  const value = {
    ending: 'executed' as const,
    content: [],
    isError: false,
    durationMs: 1,
    storeFault: FULL.message,
  };
  const roles = { executor: testRole('executor', { tools: ['*', 'create_artifact'] }) };
  const { tools } = addWorkflowTools([fileTool('read', { readOnly: true })], Object.values(roles), OWN_TOOLS);
  const input = { id: 'report', type: 'markdown', content: 'text' };
  const { run, results } = runAtCalls(
    [
      { name, input },
      { name, input: { ...input, id: 'other' } },
    ],
    {
      settings: { autoApprove: true },
      pinned: { tools, roles },
      ports: {
        callTool: async () => ({ ok: true, value }),
        activity: async () => ({ ok: false, failure: { ...FULL, type: FAILURE.storeFailed } }),
      },
    },
  );
  const { batch } = run.state.cursor.position.turns;
  while (batch && results().length < 2) await runNextCalls(run, batch);
  for (const result of results())
    expect(result).toMatchObject({ ending: told.ending, note: expect.stringMatching(told.note) });
  const failures = run.state.log.journal.events.filter(({ type }) => type === 'store_failed');
  expect(failures).toMatchObject([{ what: name, why: FULL.message }]);
});
