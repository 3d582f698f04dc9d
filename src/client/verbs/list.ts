/** `list`: runs, newest first. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { Command } from 'commander';
import { preview } from '../../core/preview.js';
import { SteersmanError } from '../../errors.js';
import { formatDuration } from '../../print/format.js';
import { padText } from '../../print/layout.js';
import { terminalText } from '../../print/terminal-text.js';
import { unreadableNames } from '../../temporal-client.js';
import { EXIT } from '../exit-codes.js';
import type { Temporal } from '../runs/connect.js';
import { explainError } from '../runs/grpc-errors.js';
import { ALL_RUNS, describeRun, timesOf } from '../runs/runs.js';
import { readStuckTask, type StuckTask } from '../runs/stuck-task.js';
import { type CommonOptions, describeVerb, positiveInteger, withTemporal } from './command.js';

interface ListOptions extends CommonOptions {
  limit: number;
  open?: boolean;
  waiting?: boolean;
}

export function addList(program: Command): void {
  const verb = program
    .command('list')
    .description('List runs, newest first: id, status, phase or outcome, age, goal.')
    .option('--limit <n>', 'at most so many', positiveInteger, 20)
    .option('--open', 'only runs that have not ended')
    .option('--waiting', 'only runs that wait for a person, each with what it asks');
  describeVerb(verb, [
    'npm run client -- list --waiting',
    'npm run client -- list --open --limit 100',
  ]).action(async ({ limit, open, waiting, ...options }: ListOptions) => {
    await withTemporal(options, async ({ temporal, output }) => {
      const query = [
        ALL_RUNS,
        ...(open || waiting ? ["ExecutionStatus = 'Running'"] : []),
        ...(waiting ? ['AgentWaiting IS NOT NULL'] : []),
      ].join(' AND ');
      let count = 0;
      for await (const info of listRuns(temporal, query, limit, waiting === true)) {
        const run = { ...listedRun(info), stuck: await stuckOf(temporal, info) };
        if (output.json) output.value(run);
        else output.out.line(listLine(run, Date.now()));
        count += 1;
        if (count >= limit) break;
      }
      if (count === 0) output.notes.line(waiting ? 'No run waits for a person.' : NO_RUNS);
      return EXIT.ok;
    });
  });
}

/** What an id takes that the run's goal gave. */
const ID_COLUMNS = 39;
const NO_RUNS = 'There are no runs. Start one with: npm start -- "<goal>"';

async function* listRuns(
  { client }: Temporal,
  query: string,
  pageSize: number,
  byWaiting: boolean,
): AsyncGenerator<WorkflowExecutionInfo> {
  try {
    yield* client.workflow.list({ query, pageSize });
  } catch (error) {
    const known = explainError(error);
    if (!byWaiting || known === null || known.code === 'unreachable') throw error;
    const todo =
      'The search attribute AgentWaiting may be missing: npm run client -- doctor --fix registers it.';
    throw new SteersmanError(known.message, todo, 'configuration');
  }
}

/** A list does not tell it: an open run is looked at. */
async function stuckOf(temporal: Temporal, { status, workflowId }: WorkflowExecutionInfo) {
  if (status.name !== 'RUNNING') return null;
  try {
    return await readStuckTask(temporal.client, await describeRun(temporal, workflowId));
  } catch {
    // It has gone since it was listed, or the server is busy: the list is worth more.
    return null;
  }
}

/** A run as the server's list tells it. */
export interface ListedRun {
  id: string;
  runId: string;
  status: string;
  phase: string | null;
  /** The gate that it waits for a person at. */
  waiting: string | null;
  outcome: string | null;
  /** Why it ended so. */
  cause: string | null;
  mode: string | null;
  goal: string | null;
  startedAt: string;
  endedAt: string | null;
  /** Names of its memo that can not be decoded here: another program's run, or one that is encrypted. */
  unreadable: string[];
  /** Why its workflow task fails again and again, where it does: `show` says what to do. */
  stuck: StuckTask | null;
}

export function listedRun(info: WorkflowExecutionInfo): ListedRun {
  const { AgentPhase, AgentWaiting, AgentOutcome } = info.searchAttributes;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const open = info.status.name === 'RUNNING';
  // A namespace without the attributes has the memo.
  const outcome = text(AgentOutcome?.[0]) ?? text(info.memo?.outcome);
  return {
    id: info.workflowId,
    runId: info.runId,
    status: info.status.name.toLowerCase(),
    // Temporal may have ended it at any point of its work.
    phase: open ? text(AgentPhase?.[0]) : 'ended',
    waiting: open ? text(AgentWaiting?.[0]) : null,
    outcome: outcome === 'open' ? null : outcome,
    cause: text(info.memo?.cause) ?? (outcome === 'completed' ? 'verified' : null),
    mode: text(info.memo?.mode),
    goal: text(info.memo?.goal),
    ...timesOf(info),
    unreadable: unreadableNames(info.memo),
    stuck: null,
  };
}

export function listLine(run: ListedRun, now: number): string {
  const state = run.stuck ? 'stuck' : stateOf(run);
  const age = formatDuration(now - Date.parse(run.startedAt));
  const unreadable = run.unreadable.length > 0 ? `unreadable here: ${run.unreadable.join(', ')}` : null;
  const what = [run.waiting, preview(run.goal ?? '', 80), unreadable].filter(Boolean).join(' · ');
  return `${padText(run.id, ID_COLUMNS)}  ${state.padEnd(16)}  ${age.padStart(11)}  ${terminalText(what)}`;
}

function stateOf({ status, phase, outcome }: ListedRun): string {
  return status === 'running' ? (phase ?? 'running') : (outcome ?? status);
}
