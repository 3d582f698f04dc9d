/** Which runs a list shows: what the server filters by, and what only the memo tells. Pure. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { isBelow } from '../../config/workspace.js';
import type { Outcome } from '../../core/plan/cause.js';
import { SteersmanError } from '../../shared/errors.js';
import { ALL_RUNS, timesOf, workspaceOf } from './runs.js';

export const OUTCOMES = [
  'completed',
  'answered',
  'unverified',
  'budget_exhausted',
  'stopped',
  'failed',
  'cancelled',
] as const satisfies readonly Outcome[];

export interface ListFilter {
  /** Only runs that have not ended. Default false. */
  open?: boolean;
  /** Only runs that wait for a person. Default false. */
  waiting?: boolean;
  /** Only runs that ended so. */
  outcome?: Outcome;
  /** Only runs that began then or later. */
  since?: Date;
  /** Only runs with this text in their goal, in any case of its letters. */
  goal?: string;
  /** Only runs that work in one of these folders or below it. */
  workspaces?: readonly string[];
}

/** The filter as far as the server knows it. Throws a SteersmanError `usage` for what is no time or outcome. */
export function listQuery({ open, waiting, outcome, since }: ListFilter): string {
  if (since && Number.isNaN(since.getTime()))
    throw new SteersmanError('since is no valid time.', '', 'usage');
  if (outcome !== undefined && !OUTCOMES.includes(outcome))
    throw new SteersmanError(`outcome must be one of ${OUTCOMES.join(', ')}.`, '', 'usage');
  return [
    ALL_RUNS,
    ...(open || waiting ? ["ExecutionStatus = 'Running'"] : []),
    ...(waiting ? ['AgentWaiting IS NOT NULL'] : []),
    ...(outcome ? [`AgentOutcome = '${outcome}'`] : []),
    // Of a run that continued as new this is when its last part began: never before the first.
    ...(since ? [`StartTime >= '${since.toISOString()}'`] : []),
  ].join(' AND ');
}

/** The rest of it, for a run that the server has found. */
export function isListed(
  run: Pick<WorkflowExecutionInfo, 'memo' | 'startTime' | 'closeTime'>,
  { since, goal, workspaces }: ListFilter,
): boolean {
  if (since && Date.parse(timesOf(run).startedAt) < since.getTime()) return false;
  const workspace = workspaceOf(run.memo);
  if (workspaces && (workspace === null || !workspaces.some(root => isBelow(workspace, root)))) return false;
  const told = run.memo?.goal;
  return goal === undefined || (typeof told === 'string' && told.toLowerCase().includes(goal.toLowerCase()));
}

const LARGE_PAGE = 1_000;

/** What only the memo tells is looked for in large pages: with small ones nearly all the time goes into asking. */
export function pageSizeOf(limit: number, { goal, workspaces }: ListFilter): number {
  return goal === undefined && workspaces === undefined ? limit : Math.max(limit, LARGE_PAGE);
}
