/** Watches a run's sub-agents like the run itself, from their start to their end. */

import { childId } from '../../run/agents/children.js';
import type { JournalEvent } from '../../run/state/journal.js';
import { unlessUnknown } from '../../shared/process/errors.js';
import type { RunDescription } from '../record/runs.js';
import { isOpen } from '../record/runs.js';
import type { ChildEvents } from './in-order.js';
import type { RunEvent } from './run-event.js';

/** Watches a sub-agent, and its own sub-agents. */
export interface ChildWatch {
  look(): Promise<RunDescription | null>;
  /** Yields new events of an open run. */
  news(run: RunDescription): AsyncGenerator<RunEvent>;
  /** Yields new events of the journal. */
  told(run: RunDescription): AsyncGenerator<RunEvent>;
}

interface Child {
  id: string;
  agent: string;
  watch: ChildWatch;
}

/** A watcher that joins late gets only this many of the last ended sub-agents; others can be watched separately. */
const MOST_ENDED = 20;

export class ChildWatches {
  readonly #runId: string;
  readonly #watchOf: (id: string) => ChildWatch;
  readonly #open = new Map<string, Child>();
  /** Sub-agents that began and ended between two looks and are not watched, because more than `MOST_ENDED` did. */
  readonly #left = new Set<string>();

  /** `watchOf`: creates a watch by the id of a run. */
  constructor(runId: string, watchOf: (id: string) => ChildWatch) {
    this.#runId = runId;
    this.#watchOf = watchOf;
  }

  begin(id: string, agent: string): void {
    if (this.#open.has(id) || this.#left.has(id)) return;
    this.#open.set(id, { id, agent, watch: this.#watchOf(childId(this.#runId, id)) });
  }

  /** Leaves out the oldest sub-agents that ended among these events, beyond `MOST_ENDED`. */
  leaveOld(events: readonly JournalEvent[]): void {
    const ended = events.flatMap(event => (event.type === 'subagent_ended' ? [event.id] : []));
    for (const id of ended.slice(0, -MOST_ENDED)) if (!this.#open.has(id)) this.#left.add(id);
  }

  /** Returns new events of all running sub-agents. */
  news(): Promise<ChildEvents[]> {
    return Promise.all(
      [...this.#open.values()].map(async child => ({
        id: child.id,
        events: await collected(child, run => (isOpen(run) ? child.watch.news(run) : child.watch.told(run))),
      })),
    );
  }

  /** Returns the remaining events of an ended sub-agent, and stops watching it. */
  async finish(id: string): Promise<RunEvent[]> {
    const child = this.#open.get(id);
    this.#open.delete(id);
    if (child) return collected(child, run => child.watch.told(run));
    if (!this.#left.delete(id)) return [];
    const text = `The events of ${id} are left out. Its run: ${childId(this.#runId, id)}`;
    return [{ type: 'notice', text }];
  }
}

async function collected(
  { id, agent, watch }: Child,
  news: (run: RunDescription) => AsyncGenerator<RunEvent>,
): Promise<RunEvent[]> {
  // It has not begun yet, or could not.
  const run = await watch.look().catch(unlessUnknown);
  if (run === null) return [];
  const events: RunEvent[] = [];
  for await (const event of news(run)) {
    const forwarded = eventForParent({ id, agent }, event);
    if (forwarded) events.push(forwarded);
  }
  return events;
}

/** Converts an event for the parent run. Null: the parent itself reports gates of a child, and its end by `subagent_ended`. */
export function eventForParent({ id, agent }: Pick<Child, 'id' | 'agent'>, event: RunEvent): RunEvent | null {
  if (LEFT_OUT.has(event.type)) return null;
  const path = event.path === undefined ? id : `${id}/${event.path}`;
  return { ...event, agent: event.agent ?? agent, path };
}

const LEFT_OUT: ReadonlySet<RunEvent['type']> = new Set(['end', 'gate_opened', 'gate_closed']);
