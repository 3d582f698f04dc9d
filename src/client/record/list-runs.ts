/** Lists runs from the server, newest first. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { ownValue } from '../../base/json/json.js';
import { OUTCOMES, type Outcome, USUAL_CAUSES } from '../../run/limits/cause.js';
import { isBelow } from '../../shared/process/below.js';
import { hintOf, verbCall } from '../../shared/process/called-as.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { unreadableNames } from '../../shared/temporal/temporal-client.js';
import type { Temporal } from '../connection/connect.js';
import { explainError } from '../connection/grpc-errors.js';
import { ALL_RUNS, describeRun, outcomeShown, timesOf, workspaceOf } from './runs.js';
import { readStuckTask, type StuckTask } from './stuck-task.js';

export interface ListFilter {
  /** Only runs that have not ended. Default false. */
  open?: boolean;
  /** Only runs that wait for a person. Default false. */
  waiting?: boolean;
  /** Only runs that ended so, and runs that are kept open whose last goal did. */
  outcome?: Outcome;
  /** Only runs that began at this time or later. */
  since?: Date;
  /** Only runs with this text in their goal, in any case. */
  goal?: string;
  /** Only runs that work in one of these folders or below it. */
  workspaces?: readonly string[];
}

export interface ListOptions extends ListFilter {
  /** Maximum number of runs. Default 20. */
  limit?: number;
}

/** A run in the server's list. */
export interface ListedRun {
  id: string;
  runId: string;
  status: string;
  phase: string | null;
  /** The gate at which it waits for a person. */
  waiting: string | null;
  /** How it ended, or how the last goal of a run that is kept open did; null while a goal is pursued. */
  outcome: string | null;
  /** The cause of its end. */
  cause: string | null;
  mode: string | null;
  goal: string | null;
  /** The folder in which it works; null if its start did not record it. */
  workspace: string | null;
  /** ISO 8601. */
  startedAt: string;
  endedAt: string | null;
  /** Names of memo fields that can't be decoded here: the run is another program's, or encrypted. */
  unreadable: string[];
  /** The reason why its workflow task fails repeatedly; null if it does not. */
  stuck: StuckTask | null;
}

/** Lists runs. Throws a SteersmanError if the server does not list them. */
export async function* listRuns(
  temporal: Temporal,
  { limit = 20, ...filter }: ListOptions,
): AsyncGenerator<ListedRun> {
  const query = listQuery(filter);
  let count = 0;
  try {
    for await (const info of temporal.client.workflow.list({ query, pageSize: pageSizeOf(limit, filter) })) {
      const run = listedRun(info);
      if (!isListed(info, filter) || (filter.outcome && filter.outcome !== run.outcome)) continue;
      yield { ...run, stuck: await stuckOf(temporal, info) };
      count += 1;
      if (count >= limit) return;
    }
  } catch (error) {
    const known = explainError(error);
    const byAttribute = filter.waiting || filter.outcome;
    if (!byAttribute || known === null || known.code === 'unreachable') throw known ?? error;
    const todo = `The search attributes may be missing: ${hintOf(verbCall('doctor --fix'), 'the command `steersman doctor --fix`')} registers them.`;
    throw new SteersmanError(known.message, todo, 'configuration');
  }
}

/** The list lacks this, so an open run is described. */
async function stuckOf(temporal: Temporal, { status, workflowId }: WorkflowExecutionInfo) {
  if (status.name !== 'RUNNING') return null;
  try {
    return await readStuckTask(temporal.client, await describeRun(temporal, workflowId));
  } catch {
    // The run was deleted since it was listed, or the server is busy: the list is still useful.
    return null;
  }
}

export function listedRun(info: WorkflowExecutionInfo): ListedRun {
  const { AgentPhase, AgentWaiting } = info.searchAttributes;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const open = info.status.name === 'RUNNING';
  const outcome = outcomeShown(info);
  return {
    id: info.workflowId,
    runId: info.runId,
    status: info.status.name.toLowerCase(),
    // Temporal may have ended it in any phase.
    phase: open ? text(AgentPhase?.[0]) : 'ended',
    waiting: open ? text(AgentWaiting?.[0]) : null,
    outcome,
    cause: open ? null : (text(info.memo?.cause) ?? ownValue<string>(USUAL_CAUSES, outcome ?? '') ?? null),
    mode: text(info.memo?.mode),
    goal: text(info.memo?.goal),
    workspace: workspaceOf(info.memo),
    ...timesOf(info),
    unreadable: unreadableNames(info.memo),
    stuck: null,
  };
}

/** Returns the part of the filter that the server supports. Throws a SteersmanError `usage` for an invalid time or outcome. */
export function listQuery({ open, waiting, outcome, since }: ListFilter): string {
  if (since && Number.isNaN(since.getTime()))
    throw new SteersmanError('since is not a valid time.', '', 'usage');
  if (outcome !== undefined && !OUTCOMES.includes(outcome))
    throw new SteersmanError(`outcome must be one of ${OUTCOMES.join(', ')}.`, '', 'usage');
  return [
    ALL_RUNS,
    ...(open || waiting ? ["ExecutionStatus = 'Running'"] : []),
    ...(waiting ? ['AgentWaiting IS NOT NULL'] : []),
    ...(outcome ? [`AgentOutcome = '${outcome}'`] : []),
    // After a continue-as-new this is the start of the last segment, which is never before the first.
    ...(since ? [`StartTime >= '${since.toISOString()}'`] : []),
  ].join(' AND ');
}

/** Applies the rest of the filter to a run that the server has found. */
export function isListed(
  run: Pick<WorkflowExecutionInfo, 'memo' | 'startTime' | 'closeTime'>,
  { since, goal, workspaces }: ListFilter,
): boolean {
  if (since && Date.parse(timesOf(run).startedAt) < since.getTime()) return false;
  const workspace = workspaceOf(run.memo);
  if (workspaces && (workspace === null || !workspaces.some(root => isBelow(workspace, root)))) return false;
  const text = run.memo?.goal;
  return goal === undefined || (typeof text === 'string' && text.toLowerCase().includes(goal.toLowerCase()));
}

const LARGE_PAGE = 1_000;

/** Fields of the memo are filtered here, with large pages: small ones would spend nearly all time on requests. */
function pageSizeOf(limit: number, { goal, workspaces }: ListFilter): number {
  return goal === undefined && workspaces === undefined ? limit : Math.max(limit, LARGE_PAGE);
}
