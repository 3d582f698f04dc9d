/** `list`: runs, newest first. */
import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { Command } from 'commander';
import { preview } from '../../core/journal.js';
import { type CommonOptions, describeVerb, positiveInteger, withTemporal } from '../command.js';
import type { Temporal } from '../connect.js';
import { EXIT } from '../exit-codes.js';
import { formatDuration } from '../format.js';
import { ALL_RUNS, describeRun } from '../runs.js';
import { readStuckTask, type StuckTask } from '../stuck-task.js';
import { terminalText } from '../terminal-text.js';

interface ListOptions extends CommonOptions {
  limit: number;
  open?: boolean;
}

export function addList(program: Command): void {
  const verb = program
    .command('list')
    .description('List runs, newest first: id, status, phase or outcome, age, goal.')
    .option('--limit <n>', 'at most so many', positiveInteger, 20)
    .option('--open', 'only runs that have not ended');
  describeVerb(verb, ['npm run client -- list', 'npm run client -- list --open --limit 100']).action(
    async ({ limit, open, ...options }: ListOptions) => {
      await withTemporal(options, async ({ temporal, output }) => {
        const query = open ? `${ALL_RUNS} AND ExecutionStatus = 'Running'` : ALL_RUNS;
        let count = 0;
        for await (const info of temporal.client.workflow.list({ query, pageSize: limit })) {
          // Runs of sub-agents belong to their parents.
          if (info.parentExecution !== undefined) continue;
          const run = { ...listedRun(info), stuck: await stuckOf(temporal, info) };
          if (output.json) output.value(run);
          else output.out.line(listLine(run, Date.now()));
          count += 1;
          if (count >= limit) break;
        }
        if (count === 0) {
          output.notes.line('There are no runs. Start one with: npm start -- "<goal>"');
        }
        return EXIT.ok;
      });
    },
  );
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
  outcome: string | null;
  mode: string | null;
  goal: string | null;
  startedAt: string;
  endedAt: string | null;
  /** Why its workflow task fails again and again, where it does: `show` says what to do. */
  stuck: StuckTask | null;
}

export function listedRun(info: WorkflowExecutionInfo): ListedRun {
  const { AgentPhase, AgentOutcome } = info.searchAttributes;
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const outcome = text(AgentOutcome?.[0]);
  return {
    id: info.workflowId,
    runId: info.runId,
    status: info.status.name.toLowerCase(),
    phase: text(AgentPhase?.[0]),
    outcome: outcome === 'open' ? null : outcome,
    mode: text(info.memo?.mode),
    goal: text(info.memo?.goal),
    startedAt: info.startTime.toISOString(),
    endedAt: info.closeTime?.toISOString() ?? null,
    stuck: null,
  };
}

export function listLine(run: ListedRun, now: number): string {
  const state = run.stuck ? 'stuck' : stateOf(run);
  const age = formatDuration(now - Date.parse(run.startedAt));
  return `${run.id}  ${state.padEnd(16)}  ${age.padStart(11)}  ${preview(terminalText(run.goal ?? ''), 80)}`;
}

function stateOf({ status, phase, outcome }: ListedRun): string {
  return status === 'running' ? (phase ?? 'running') : (outcome ?? status);
}
