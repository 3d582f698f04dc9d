/** A folder store that is away for a time, and what a store must have of a run in the end. */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { WorkflowHandle } from '@temporalio/client';
import { storedEvents, storedMessages } from '../../src/client/stored/stored-runs.js';
import type { RunRecord } from '../../src/run/state/stored-line.js';
import type { SessionStore } from '../../src/shared/store/store.js';
import { stateQuery } from '../../src/workflows/run/definitions.js';
import { journalOf, transcriptOf } from './run-views.js';

/** Takes the store of a worker's home away: a file stands in its place, so nobody can read or write there. */
export function folderThatGoes(home: string) {
  const dir = join(home, 'store');
  const aside = `${dir}-away`;
  return {
    go() {
      if (existsSync(dir)) renameSync(dir, aside);
      writeFileSync(dir, '');
    },
    comeBack() {
      rmSync(dir);
      if (existsSync(aside)) renameSync(aside, dir);
    },
  };
}

/**
 * What the store lacks of a run that has ended, or has otherwise, as the run itself tells it; null where it has all of
 * it. `session`: the conversation of the run.
 */
export async function lackOf(
  sessions: SessionStore,
  handle: WorkflowHandle,
  session: string,
): Promise<string | null> {
  const { chain, workflowId } = await toldBy(handle);
  const found = (await sessions.runs(session)).find(run => run.chain === chain);
  if (!found) return `nothing of the run ${workflowId}`;
  if (!found.ended) return `the end of the run ${workflowId}`;
  const told = await journalOf(handle);
  const events = await storedEvents(sessions, found, 0);
  if (!isDeepStrictEqual(events, told))
    return `events of the run ${workflowId}: it has ${events.length} of ${told.length}`;
  return messagesLack(sessions, handle, found);
}

async function messagesLack(
  sessions: SessionStore,
  handle: WorkflowHandle,
  run: RunRecord,
): Promise<string | null> {
  const kept = await storedMessages(sessions, run);
  const { internals } = await handle.query(stateQuery);
  for (const thread of Object.keys(internals.threads)) {
    // What a run begins with is kept where it was said.
    const said = (await transcriptOf(handle, thread)).filter(({ from }) => from === undefined);
    const messages = kept.filter(each => each.thread === thread).map(({ message }) => message);
    if (!isDeepStrictEqual(messages, said))
      return `messages of ${run.workflowId}, ${thread}: it has ${messages.length} of ${said.length}`;
  }
  return null;
}

async function toldBy(handle: WorkflowHandle): Promise<{ chain: string; workflowId: string }> {
  const { workflowId, raw } = await handle.describe();
  return { chain: raw.workflowExecutionInfo?.firstRunId ?? '', workflowId };
}
