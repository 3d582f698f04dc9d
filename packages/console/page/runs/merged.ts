/** Runs that Temporal has and conversations that the store has, as one list, newest first. Pure. */
import type { ListedRun, SessionLine } from 'steersman/client';
import { sessionOf } from '../sessions/session-href.js';

export type Row = { kind: 'run'; run: ListedRun } | { kind: 'kept'; line: SessionLine };

/** Lists runs and conversations as one. A conversation is left out if one of its runs is listed. */
export function mergedRows(runs: readonly ListedRun[], lines: readonly SessionLine[]): Row[] {
  const listed = new Set(runs.map(({ id }) => sessionOf(id)));
  const rows: Row[] = [
    ...runs.map(run => ({ kind: 'run', run }) as const),
    ...lines.filter(({ id }) => !listed.has(id)).map(line => ({ kind: 'kept', line }) as const),
  ];
  return rows.sort((a, b) => timeOf(b) - timeOf(a));
}

/** True if the runs and conversations of a list work in more than one folder, so that each row names its own. */
export function areInSeveral(listed: readonly { workspace: string | null }[]): boolean {
  return new Set(listed.flatMap(({ workspace }) => workspace ?? [])).size > 1;
}

function timeOf(row: Row): number {
  return row.kind === 'run' ? Date.parse(row.run.startedAt) : row.line.changedAt;
}

/** Entries of a page of the list, and the maximum for the whole list. */
export const PAGE = 50;
export const MOST = 200;

/** Returns what follows the list: nothing (`whole`), a button for more, or a note that only the newest are listed. */
export function listEnd(
  limit: number,
  { runs, lines }: Record<'runs' | 'lines', readonly unknown[] | null | undefined>,
): 'whole' | 'more' | 'newest' {
  if (Math.max(runs?.length ?? 0, lines?.length ?? 0) < limit) return 'whole';
  return limit < MOST ? 'more' : 'newest';
}
