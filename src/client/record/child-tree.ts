/** The sub-agents of a run with their own sub-agents, as their runs report them. */
import { type ChildRecord, childId } from '../../run/agents/children.js';
import type { Usage } from '../../run/messages/message.js';
import type { RunRecord } from '../../run/state/stored-line.js';
import type { SessionStore } from '../../shared/store/store.js';
import { findRecord } from '../stored/stored-runs.js';
import type { RunSnapshot } from './run-snapshot.js';

/** Returns the sub-agents of a run that Temporal has deleted. */
export function storedChildren(store: SessionStore, kept: RunRecord): Promise<ChildTree[]> {
  return Promise.all(
    (kept.rest?.children ?? []).map(async (record): Promise<ChildTree> => {
      const own = await findRecord(store, childId(kept.workflowId, record.id));
      const children = own ? await storedChildren(store, own) : [];
      return { ...record, usage: own?.usage ?? null, children };
    }),
  );
}

/** A sub-agent with its usage and its own sub-agents. */
export interface ChildTree extends ChildRecord {
  /** Includes its own sub-agents that have ended; null if it is unknown. */
  usage: Usage | null;
  children: ChildTree[];
}

/** Only this many of a run's last sub-agents are queried. */
const MOST_ASKED = 20;

/** The methods of a run's reader that are used here. */
interface ReadsRun {
  readonly id: string;
  /** Returns the reader of another run. */
  of(id: string): ReadsRun;
  snapshot(): Promise<Pick<RunSnapshot, 'usage' | 'children'>>;
}

/** Returns the run's sub-agents in the order of their start. */
export async function readChildren(run: ReadsRun, records: readonly ChildRecord[]): Promise<ChildTree[]> {
  const from = Math.max(0, records.length - MOST_ASKED);
  return Promise.all(
    records.map(async (record, at): Promise<ChildTree> => {
      const own = run.of(childId(run.id, record.id));
      const shown = at < from ? null : await own.snapshot().catch(() => null);
      return {
        ...record,
        usage: shown?.usage ?? null,
        children: await readChildren(own, shown?.children ?? []),
      };
    }),
  );
}
