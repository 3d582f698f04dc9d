import { describe, expect, test } from 'vitest';
import { readSince } from '../../../../packages/print/commands/arguments.js';
import type { Temporal } from '../../../../src/client/connection/connect.js';
import { isListed, type ListFilter, listQuery, listRuns } from '../../../../src/client/record/list-runs.js';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const run = (goal: unknown, startedAt?: string) => ({
  memo: { goal, ...(startedAt ? { startedAt } : {}) },
  startTime: new Date('2026-03-09T00:00:00Z'),
});

const work = (workspace: string) => ({ memo: { workspace }, startTime: new Date(NOW) });

describe('a filtered list', () => {
  test.each([
    ['nothing', {}, ''],
    ['open', { open: true }, " AND ExecutionStatus = 'Running'"],
    ['waiting', { waiting: true }, " AND ExecutionStatus = 'Running' AND AgentWaiting IS NOT NULL"],
    ['an outcome', { outcome: 'failed' as const }, " AND AgentOutcome = 'failed'"],
    ['since', { since: new Date(NOW) }, " AND StartTime >= '2026-03-10T12:00:00.000Z'"],
    ['a goal, which the server does not know', { goal: "it's" }, ''],
  ])('%s → what the server is asked', (_name, filter, more) => {
    expect(listQuery(filter)).toBe(`${listQuery({})}${more}`);
  });

  test.each([
    ['a time that is none', { since: new Date('soon') }],
    ['an outcome that there is not', { outcome: "x' OR 'a' = 'a" as 'failed' }],
  ])('%s → refused in words', (_name, filter) => {
    expect(() => listQuery(filter)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test.each<[string, number, ListFilter, number]>([
    ['nothing', 20, {}, 20],
    ['what the server knows', 20, { open: true }, 20],
    ['a goal', 20, { goal: 'x' }, 1_000],
    ['folders', 20, { workspaces: ['/w'] }, 1_000],
    ['more than a large page', 5_000, { goal: 'x' }, 5_000],
  ])(
    'a page of %s → as many as are shown, and many where only the runs tell',
    async (_, limit, filter, size) => {
      const asked: unknown[] = [];
      const list = (options: { pageSize: number }) => {
        asked.push(options.pageSize);
        return [];
      };
      const temporal = { client: { workflow: { list } } } as unknown as Temporal;
      for await (const run of listRuns(temporal, { limit, ...filter }))
        throw new Error(`there is none: ${run.id}`);
      expect(asked).toEqual([size]);
    },
  );

  test('an outcome, which a terminated run had shown before → that run is left out', async () => {
    const shown = (workflowId: string, name: string) => ({
      ...{ workflowId, runId: workflowId, status: { name }, startTime: new Date(NOW), memo: {} },
      searchAttributes: { AgentOutcome: ['completed'] },
    });
    const list = async function* () {
      yield* [shown('done', 'COMPLETED'), shown('gone', 'TERMINATED')];
    };
    const temporal = { client: { workflow: { list } } } as unknown as Temporal;
    const ids: string[] = [];
    for await (const { id } of listRuns(temporal, { outcome: 'completed' })) ids.push(id);
    expect(ids).toEqual(['done']);
  });

  test.each([
    ['the text in other letters', run('Write the CHANGELOG'), { goal: 'changelog' }, true],
    ['another text', run('Write'), { goal: 'changelog' }, false],
    ['a goal that cannot be read here', run(undefined), { goal: 'x' }, false],
    [
      'begun before, gone on since',
      run('x', '2026-03-01T00:00:00Z'),
      { since: new Date('2026-03-08') },
      false,
    ],
    ['in the folder', work('/w/a'), { workspaces: ['/w/b', '/w/a'] }, true],
    ['below the folder', work('/w/a/sub'), { workspaces: ['/w/a'] }, true],
    ['in a folder that is called alike', work('/w/ab'), { workspaces: ['/w/a'] }, false],
    ['in a folder that nobody knows', run('x'), { workspaces: ['/'] }, false],
    ['begun since', run('x'), { since: new Date('2026-03-08') }, true],
  ])('%s → %s', (_name, info, filter, listed) => {
    expect(isListed(info, filter)).toBe(listed);
  });

  test.each([
    ['30m', '2026-03-10T11:30:00.000Z'],
    ['2h', '2026-03-10T10:00:00.000Z'],
    ['3d', '2026-03-07T12:00:00.000Z'],
    ['2026-03-01T09:30Z', '2026-03-01T09:30:00.000Z'],
    ['yesterday', undefined],
    ['5', undefined],
    ['2026-13-40', undefined],
  ])('--since %s → %s', (words, moment) => {
    expect(readSince(words, NOW)?.toISOString()).toBe(moment);
  });

  test('--since with a date alone → midnight here, not in Greenwich', () => {
    expect(readSince('2026-03-01', NOW)).toEqual(new Date(2026, 2, 1));
  });
});
