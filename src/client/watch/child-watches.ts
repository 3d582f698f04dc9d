/** The sub-agents of a run that is watched: each is watched as the run is, from its beginning to its end. */

import { childId } from '../../run/agents/children.js';
import type { JournalEvent } from '../../run/state/journal.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { RunDescription } from '../record/runs.js';
import { isOpen } from '../record/runs.js';
import type { ChildEvents } from './in-order.js';
import type { RunEvent } from './run-event.js';

/** Watches one of them, and with it its own. */
export interface ChildWatch {
  look(): Promise<RunDescription | null>;
  /** What is new of one that goes on. */
  news(run: RunDescription): AsyncGenerator<RunEvent>;
  /** What the journal tells that is new. */
  told(run: RunDescription): AsyncGenerator<RunEvent>;
}

interface Child {
  id: string;
  agent: string;
  watch: ChildWatch;
}

/** Whoever comes late is told so many of those that have ended, the last; others can be watched by themselves. */
const MOST_ENDED = 20;

export class ChildWatches {
  readonly #runId: string;
  readonly #watchOf: (id: string) => ChildWatch;
  readonly #open = new Map<string, Child>();
  /** Begun and ended at one look, and too many. */
  readonly #left = new Set<string>();

  /** `watchOf`: by the id of a run. */
  constructor(runId: string, watchOf: (id: string) => ChildWatch) {
    this.#runId = runId;
    this.#watchOf = watchOf;
  }

  begin(id: string, agent: string): void {
    if (this.#open.has(id) || this.#left.has(id)) return;
    this.#open.set(id, { id, agent, watch: this.#watchOf(childId(this.#runId, id)) });
  }

  /** Takes note of the next events: of sub-agents that have ended among them the oldest are left out. */
  leaveOld(events: readonly JournalEvent[]): void {
    const ended = events.flatMap(event => (event.type === 'subagent_ended' ? [event.id] : []));
    for (const id of ended.slice(0, -MOST_ENDED)) if (!this.#open.has(id)) this.#left.add(id);
  }

  /** What is new of all that run. */
  news(): Promise<ChildEvents[]> {
    return Promise.all(
      [...this.#open.values()].map(async child => ({
        id: child.id,
        events: await collected(child, run => (isOpen(run) ? child.watch.news(run) : child.watch.told(run))),
      })),
    );
  }

  /** The rest of one that has ended; nobody looks at it again. */
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
  const run = await watch.look().catch(notBegun);
  if (run === null) return [];
  const events: RunEvent[] = [];
  for await (const event of news(run)) {
    const told = asToldAbove({ id, agent }, event);
    if (told) events.push(told);
  }
  return events;
}

/** As the run above tells it. Null: what a child asks is asked by the run; its end is the run's `subagent_ended`. */
export function asToldAbove({ id, agent }: Pick<Child, 'id' | 'agent'>, event: RunEvent): RunEvent | null {
  if (LEFT_OUT.has(event.type)) return null;
  const path = event.path === undefined ? id : `${id}/${event.path}`;
  return { ...event, agent: event.agent ?? agent, path };
}

const LEFT_OUT: ReadonlySet<RunEvent['type']> = new Set(['end', 'gate_opened', 'gate_closed']);

/** It has not begun yet, or never could. */
function notBegun(error: unknown): null {
  if (error instanceof SteersmanError && error.code === 'not_found') return null;
  throw error;
}
