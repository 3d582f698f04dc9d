/** Replays the stored events of a run that Temporal has deleted. */
import { childId } from '../../run/agents/children.js';
import type { RunRecord } from '../../run/state/stored-line.js';
import type { SessionStore } from '../../shared/store/store.js';
import { storedEnd } from '../record/forgotten.js';
import { findRecord, storedEvents } from '../stored/stored-runs.js';
import { eventForParent } from './child-watches.js';
import type { RunEvent } from './run-event.js';

/** The options of `watchRun`. */
interface Wanted {
  since: number;
  children: boolean;
}

/** Yields the run's events, with those of each sub-agent before the end of that sub-agent, and last the run's own end. */
export async function* replayStored(
  store: SessionStore,
  run: RunRecord,
  wanted: Wanted,
): AsyncGenerator<RunEvent> {
  yield* journalOf(store, run, wanted);
  yield { type: 'end', end: await storedEnd(store, run) };
}

async function* journalOf(
  store: SessionStore,
  run: RunRecord,
  { since, children }: Wanted,
): AsyncGenerator<RunEvent> {
  for (const event of await storedEvents(store, run, since)) {
    if (children && event.type === 'subagent_ended') yield* journalOfChild(store, run, event);
    yield event;
  }
}

async function* journalOfChild(
  store: SessionStore,
  above: RunRecord,
  { id, role: agent }: { id: string; role: string },
): AsyncGenerator<RunEvent> {
  const run = await findRecord(store, childId(above.workflowId, id));
  if (!run) return;
  for await (const event of journalOf(store, run, { since: 0, children: true })) {
    const forwarded = eventForParent({ id, agent }, event);
    if (forwarded) yield forwarded;
  }
}
