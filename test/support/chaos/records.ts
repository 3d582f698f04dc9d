/** What is left of a run and its agents after a chaos: histories, ends, conversations, journals. */
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { Temporal } from '../../../src/client/connection/connect.js';
import type { RunEnd } from '../../../src/client/record/run-end.js';
import { readEnd } from '../../../src/client/record/run-end.js';
import { describeRun, isOpen } from '../../../src/client/record/runs.js';
import type { Message } from '../../../src/run/messages/message.js';
import type { JournalEvent } from '../../../src/run/state/journal.js';
import { stateQuery } from '../../../src/workflows/run/definitions.js';
import { type RecordedPart, treeOf } from '../histories.js';
import { journalOf, transcriptOf } from '../run-views.js';

export interface RunRecord {
  id: string;
  /** Null while it is open. */
  end: RunEnd | null;
  /** First to last. */
  parts: RecordedPart[];
  /** Messages of each thread; none of one that was terminated. */
  threads: Message[][];
  /** What its last part still has; of agents alone: who watches the run is told all of its own. */
  journal: JournalEvent[];
}

type HistoryEvent = NonNullable<RecordedPart['history']['events']>[number];

/** Of a run, then of all that it called, asked of their workers. */
export async function recordsOf(temporal: Temporal, id: string): Promise<RunRecord[]> {
  const { workflow } = temporal.client;
  const parts = await treeOf(temporal.client, workflow.getHandle(id));
  const ids = [...new Set(parts.map(({ workflowId }) => workflowId))];
  return Promise.all(
    ids.map(async (workflowId): Promise<RunRecord> => {
      const handle = workflow.getHandle(workflowId);
      const run = await describeRun(temporal, workflowId);
      const end = isOpen(run) ? null : await readEnd(temporal, run);
      const own = parts.filter(part => part.workflowId === workflowId);
      const record: RunRecord = { id: workflowId, end, parts: own, threads: [], journal: [] };
      // What it was told last, no worker may have read: then nobody answers.
      if (isTerminated(record)) return record;
      const { internals } = await handle.query(stateQuery);
      const threads = Object.keys(internals.threads).map(thread => transcriptOf(handle, thread));
      const journal = workflowId === id ? [] : await journalOf(handle);
      return { ...record, threads: await Promise.all(threads), journal };
    }),
  );
}

/** Ended from outside: it had no last word. */
export function isTerminated({ end }: Pick<RunRecord, 'end'>): boolean {
  return end?.status === 'terminated';
}

/** Events of all parts. */
export function eventsOf({ parts }: Pick<RunRecord, 'parts'>): HistoryEvent[] {
  return parts.flatMap(({ history }) => history.events ?? []);
}

/** The first of these payloads; undefined for none. */
export function firstOf<T>(payloads: { payloads?: Payload[] | null } | null | undefined): T | undefined {
  const [payload] = payloads?.payloads ?? [];
  return payload && defaultPayloadConverter.fromPayload<T>(payload);
}
