/** The sub-agents of a run with their own, as their runs tell of them. */
import { type ChildRecord, childId } from '../../run/agents/children.js';
import type { Usage } from '../../run/messages/message.js';
import type { RunRecord } from '../../run/state/kept.js';
import type { SessionStore } from '../../shared/store/store.js';
import { keptRun } from '../kept/kept-runs.js';
import type { RunSnapshot } from './run-snapshot.js';

/** Those of a run that Temporal knows no more. */
export function keptChildren(store: SessionStore, kept: RunRecord): Promise<ChildTree[]> {
  return Promise.all(
    (kept.rest?.children ?? []).map(async (record): Promise<ChildTree> => {
      const own = await keptRun(store, childId(kept.workflowId, record.id));
      const children = own ? await keptChildren(store, own) : [];
      return { ...record, usage: own?.usage ?? null, children };
    }),
  );
}

/** A sub-agent with what it used and its own sub-agents. */
export interface ChildTree extends ChildRecord {
  /** With that of its own sub-agents that have ended; null where nobody tells. */
  usage: Usage | null;
  children: ChildTree[];
}

/** Of so many of a run's sub-agents, the last, their runs are asked. */
const MOST_ASKED = 20;

/** What is asked of a reader of a run. */
interface ReadsRun {
  readonly id: string;
  /** The reader of another run. */
  of(id: string): ReadsRun;
  snapshot(): Promise<Pick<RunSnapshot, 'usage' | 'children'>>;
}

/** Of the run that is read, in the order in which they were begun. */
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
