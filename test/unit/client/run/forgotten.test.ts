import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFolder } from '../../../../packages/store/folder.js';
import { storedChildren } from '../../../../src/client/record/child-tree.js';
import { storedEnd } from '../../../../src/client/record/forgotten.js';
import { snapshotOf } from '../../../../src/client/record/run-snapshot.js';
import { NO_COUNTERS } from '../../../../src/run/limits/limits.js';
import type { RunRecord } from '../../../../src/run/state/stored-line.js';
import type { StoredTail } from '../../../../src/run/state/stored-tail.js';
import { runRecord } from '../../../support/records.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'forgotten-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const child = (id: string, outcome: 'answered' | 'lost') => ({
  ...{ id, agent: 'search', callId: 'c1', instruction: 'Look.', outcome, cause: null },
});
const REST: StoredTail = {
  ...{ basis: null, exceptions: [], goals: [], tasks: [], checks: [], artifacts: [], usageBy: [] },
  ...{ children: [child('search/1', 'answered'), child('search/2', 'lost')], counters: NO_COUNTERS },
};
const ENDED: Partial<RunRecord> = { outcome: 'answered', cause: 'direct_answer', answer: '7 m', ended: true };

async function kept(more: Partial<RunRecord>): Promise<RunRecord> {
  const { sessions } = openFolder(dir);
  await sessions.keep(runRecord('pool', more), []);
  const [run] = await sessions.find('pool');
  if (!run) throw new Error('it was not kept');
  return run;
}

test.each<[string, Partial<RunRecord>, string | null]>([
  ['it ended', { ...ENDED, rest: REST }, '7 m'],
  ['it was kept before there was a rest', ENDED, null],
  ['it was terminated between two goals', { ...ENDED, ended: false, rest: REST }, null],
  ['it was terminated in a goal', {}, null],
])(
  'a run that Temporal has forgotten: %s → a result, or why there is none (O2)',
  async (_what, more, text) => {
    const run = await kept(more);
    const { sessions } = openFolder(dir);
    const end = await storedEnd(sessions, run);
    expect([end.status, end.result?.text ?? null]).toEqual(['forgotten', text]);
    expect(end.failure?.message ?? null).toEqual(text === null ? expect.stringContaining('no result') : null);
    expect(snapshotOf({ kept: run })).toMatchObject({ status: 'forgotten', answer: more.answer ?? null });
  },
);

test('a run that Temporal has forgotten: its model → the first one that it called', async () => {
  const usageBy = ['openai/first', 'openai/other'].map(model => ({ role: 'executor', model, calls: 1 }));
  const run = await kept({ ...ENDED, rest: { ...REST, usageBy } });
  expect(snapshotOf({ kept: run }).model).toBe('openai/first');
});

test('a run that Temporal has forgotten: its sub-agents → as kept, one that was never kept without usage', async () => {
  const { sessions } = openFolder(dir);
  const run = await kept({ ...ENDED, rest: REST });
  const usage = { ...run.usage, outputTokens: 5 };
  await sessions.keep(
    runRecord('pool', { workflowId: 'pool/search/1', chain: 'other', usage, parent: 'pool' }),
    [],
  );
  const tree = await storedChildren(sessions, run);
  expect(tree.map(each => [each.id, each.usage?.outputTokens ?? null])).toEqual([
    ['search/1', 5],
    ['search/2', null],
  ]);
});
