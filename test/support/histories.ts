/** Histories of runs: reading them over all parts, and replaying them against the current workflow code. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { type History, historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { replayHistories } from '../../packages/test-kit/replay.js';
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

export const FROZEN = join(projectRoot, 'test', 'histories');

export interface NamedHistory extends RecordedHistory {
  /** The name of its file, without what files end with. */
  name: string;
  history: History;
}

/** The committed histories: of the code that they were last recorded with, and those of earlier code. */
export function frozenHistories(): NamedHistory[] {
  return [...historiesIn(FROZEN), ...historiesIn(join(FROZEN, 'earlier'))];
}

export function historiesIn(folder: string): NamedHistory[] {
  const files = readdirSync(folder).filter(file => file.endsWith(END));
  return files.map(file => {
    const history = historyFromJSON(JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString()));
    // Ids of agents and of runs that it started follow from its own.
    const { workflowId } = history.events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    return { name: basename(file, END), workflowId: workflowId ?? '', history };
  });
}

const END = '.json.gz';

export function writeHistory(file: string, history: History): void {
  // On one line: nobody reads them.
  writeFileSync(file, gzipSync(JSON.stringify(JSON.parse(historyToJSON(history))), { level: 9 }));
}

/** Replaces the committed histories, but not those of earlier code. */
export function freezeHistories(
  histories: readonly NamedHistory[],
  { adds = false }: { adds?: boolean } = {},
): void {
  if (!adds) for (const { name } of historiesIn(FROZEN)) rmSync(join(FROZEN, `${name}${END}`));
  for (const { name, history } of histories) writeHistory(join(FROZEN, `${name}${END}`), history);
}
