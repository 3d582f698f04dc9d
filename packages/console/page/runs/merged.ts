/** Runs that Temporal has and conversations that the store has, as one list, newest first. Pure. */
import type { ListedRun, SessionLine } from 'steersman/client';

export type Row = { kind: 'run'; run: ListedRun } | { kind: 'kept'; line: SessionLine };

/** Returns the conversation of a run: later runs of it have a number, sub-agents a path. */
export function sessionOf(runId: string): string {
  return runId.split('/', 1)[0]?.replace(/~\d{1,9}$/, '') ?? runId;
}

/** A conversation with a listed run is that run's row. Runs begun earlier than the list reaches leave room for the others. */
export function mergedRows(runs: readonly ListedRun[], lines: readonly SessionLine[]): Row[] {
  const listed = new Set(runs.map(({ id }) => sessionOf(id)));
  const rows: Row[] = [
    ...runs.map(run => ({ kind: 'run', run }) as const),
    ...lines.filter(({ id }) => !listed.has(id)).map(line => ({ kind: 'kept', line }) as const),
  ];
  return rows.sort((a, b) => timeOf(b) - timeOf(a));
}

function timeOf(row: Row): number {
  return row.kind === 'run' ? Date.parse(row.run.startedAt) : row.line.changedAt;
}

/** A page of the list, and the most that is listed. */
export const PAGE = 50;
export const MOST = 200;

/** Returns what stands at the end of a list: nothing if it is whole, a way on, or that only the newest are listed. */
export function listEnd(
  limit: number,
  { runs, lines }: Record<'runs' | 'lines', readonly unknown[] | null | undefined>,
): 'whole' | 'more' | 'newest' {
  if (Math.max(runs?.length ?? 0, lines?.length ?? 0) < limit) return 'whole';
  return limit < MOST ? 'more' : 'newest';
}
