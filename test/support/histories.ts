/** Histories of runs: reading them over all parts, and replaying them against the current workflow code. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { type History, historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { replayHistories } from '../../src/testing/replay.js';
import type { RecordedHistory } from '../../src/worker/replay.js';
import { projectRoot } from './project.js';

export interface RecordedPart {
  workflowId: string;
  runId: string;
  history: History;
}

/** The parts of a run, first to last, along continue-as-new. */
export async function partsOf(client: Client, handle: WorkflowHandle): Promise<RecordedPart[]> {
  const parts: RecordedPart[] = [];
  let runId: string | undefined = await firstRunId(handle);
  while (runId) {
    const history: History = await client.workflow.getHandle(handle.workflowId, runId).fetchHistory();
    parts.push({ workflowId: handle.workflowId, runId, history });
    const last = history.events?.at(-1);
    runId = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return parts;
}

/** The parts of a run, and those of the runs that it called or started. */
export async function treeOf(client: Client, handle: WorkflowHandle): Promise<RecordedPart[]> {
  const parts = await partsOf(client, handle);
  const children = parts.flatMap(({ history }) =>
    (history.events ?? []).flatMap(
      event => event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? [],
    ),
  );
  const below = await Promise.all(children.map(id => treeOf(client, client.workflow.getHandle(id))));
  return [...parts, ...below.flat()];
}

async function firstRunId(handle: WorkflowHandle): Promise<string> {
  const { raw, runId } = await handle.describe();
  return raw.workflowExecutionInfo?.firstRunId || runId;
}

/** The workflow code that workers run: the built bundle. */
export function workflowBundle(): { code: string } {
  return { code: readFileSync(join(projectRoot, 'dist', 'workflow-bundle.js'), 'utf8') };
}

/** Replays histories. @throws an error that names the first one that the code does not replay. */
export function replayAll(
  histories: readonly RecordedHistory[],
  bundle: { code: string } = workflowBundle(),
): Promise<void> {
  return replayHistories(histories, { workflowBundle: bundle });
}

const FROZEN = join(projectRoot, 'test', 'histories');

/** The committed histories of runs of earlier code, in the form that `export` prints. */
export function frozenHistories(): { workflowId: string; history: History }[] {
  return frozenFiles().map(file => ({
    workflowId: file.replace('.json', ''),
    history: historyFromJSON(JSON.parse(readFileSync(join(FROZEN, file), 'utf8'))),
  }));
}

function frozenFiles(): string[] {
  mkdirSync(FROZEN, { recursive: true });
  return readdirSync(FROZEN).filter(file => file.endsWith('.json'));
}

/** Replaces the committed histories. The host's name is in them as part of worker identities: it is taken out. */
export function freezeHistories(runs: Record<string, readonly RecordedPart[]>): void {
  for (const file of frozenFiles()) rmSync(join(FROZEN, file));
  for (const [name, parts] of Object.entries(runs)) {
    for (const [index, { history }] of parts.entries()) {
      // On one line: nobody reads them, and they are half as large.
      const json = JSON.stringify(JSON.parse(historyToJSON(history))).replaceAll(`@${hostname()}`, '@host');
      const part = parts.length > 1 ? `-part-${index + 1}` : '';
      writeFileSync(join(FROZEN, `${name}${part}.json`), `${json}\n`);
    }
  }
}
