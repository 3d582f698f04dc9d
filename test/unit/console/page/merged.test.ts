/** Runs and conversations as one list. */
import { describe, expect, it } from 'vitest';
import {
  areInSeveral,
  listEnd,
  MOST,
  mergedRows,
  PAGE,
} from '../../../../packages/console/page/runs/merged.js';
import { sessionOf } from '../../../../packages/console/page/sessions/session-href.js';
import type { ListedRun, SessionLine } from '../../../../src/client/index.js';

const run = (id: string, startedAt: string) => ({ id, startedAt }) as ListedRun;
const line = (id: string, changedAt: string): SessionLine => ({
  ...{ id, title: id, workspace: '/w', startedAt: 0 },
  changedAt: Date.parse(changedAt),
});

describe('FC7 runs and conversations', () => {
  it.each([
    ['pool', 'pool'],
    ['pool~2', 'pool'],
    ['pool~2/search/1', 'pool'],
    ['a~b', 'a~b'],
  ])('the conversation of %s → %s', (id, session) => {
    expect(sessionOf(id)).toBe(session);
  });

  it('a conversation whose run is listed → one row; all newest first', () => {
    const rows = mergedRows(
      [run('pool~2', '2026-01-03'), run('new', '2026-01-05')],
      [line('pool', '2026-01-03'), line('old', '2026-01-01'), line('branch', '2026-01-04')],
    );
    expect(rows.map(row => (row.kind === 'run' ? row.run.id : row.line.id))).toEqual([
      'new',
      'branch',
      'pool~2',
      'old',
    ]);
  });
});

it.each([
  [PAGE, PAGE - 1, 3, 'whole'],
  [PAGE, PAGE, 3, 'more'],
  [PAGE, 3, 143, 'more'],
  [2 * PAGE, 143, null, 'more'],
  [MOST, 143, 143, 'whole'],
  [MOST, 3, MOST, 'newest'],
  [PAGE, null, null, 'whole'],
] as const)(
  'WB16 a list of at most %i: %s runs, %s conversations are there → %s',
  (limit, runs, lines, end) => {
    const of = (count: number | null) => (count === null ? null : Array.from({ length: count }));
    expect(listEnd(limit, { runs: of(runs), lines: of(lines) })).toBe(end);
  },
);

it.each<[string, (string | null)[], boolean]>([
  ['of one folder', ['/a', '/a'], false],
  ['of two folders', ['/a', '/b', '/a'], true],
  ['whose folder is unknown, beside one of a folder', [null, '/a'], false],
  ['that is empty', [], false],
])('a list %s (%j) → its rows name their folders: %s', (_what, folders, expected) => {
  expect(areInSeveral(folders.map(workspace => ({ workspace })))).toBe(expected);
});
