/** Prints the results of the work on tasks, by task and in sum. */
import { table } from '../support/machine.js';
import type { Fault } from './check.js';
import type { Played } from './sides.js';

export interface Row extends Played {
  task: string;
  side: string;
  ms: number;
  /** Empty if the task is solved. */
  faults: readonly Fault[];
}

/** The price of a cached token relative to a new one. */
const CACHED_PRICE = 0.1;

const HEAD = ['task', 'side', 'solved', 'false claims', 'calls', 'sent', 'new', 'price', 'ms', 'ended'];

/** Without an end, or with a fault, a task is not solved. */
export function isSolved({ failure, faults }: Row): boolean {
  return failure === null && faults.length === 0;
}

/** Counts the false claims of an answer. A result that is called verified and is wrong counts as one, too. */
export function falseClaims(row: Row): number {
  const claimed = row.faults.filter(({ kind }) => kind === 'claim').length;
  return claimed + (row.verified && row.faults.some(({ kind }) => kind === 'effect') ? 1 : 0);
}

export function priceOf({ sent, cached }: Pick<Row, 'sent' | 'cached'>): number {
  return sent - cached + CACHED_PRICE * cached;
}

/** Returns one line about a finished task, while others still run. */
export function progress(row: Row): string {
  const why = row.failure ?? row.faults.map(({ what }) => what).join('; ');
  return `${isSolved(row) ? 'solved' : 'NOT solved'}  ${row.task}, ${row.side}${why === '' ? '' : `: ${why}`}`;
}

export function tables(rows: readonly Row[]): string {
  const byTask = rows.map(row => [
    row.task,
    row.side,
    isSolved(row) ? 'yes' : 'no',
    ...figures([row]),
    row.failure === null ? row.ended : 'failed',
  ]);
  const sides = [...new Set(rows.map(({ side }) => side))];
  const sums = sides.map(side => {
    const own = rows.filter(row => row.side === side);
    return ['all', side, `${own.filter(isSolved).length} of ${own.length}`, ...figures(own), ''];
  });
  return table(HEAD, [...byTask, ...sums]);
}

function figures(rows: readonly Row[]): string[] {
  const sum = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0);
  const counts = [
    falseClaims,
    (row: Row) => row.calls,
    (row: Row) => row.sent,
    (row: Row) => row.sent - row.cached,
  ];
  return [...counts.map(sum), sum(priceOf), sum(({ ms }) => ms)].map(value => value.toFixed(0));
}

export function asJson(rows: readonly Row[]): string {
  const told = rows.map(row => ({
    ...row,
    solved: isSolved(row),
    falseClaims: falseClaims(row),
    new: row.sent - row.cached,
    price: priceOf(row),
  }));
  return JSON.stringify(told, null, 2);
}
