/** Watches all open gates, once for all pages. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Frame, UntoldRun, WaitingGate } from '@steersman/view';
import { errorText } from 'steersman/base';
import { explainError, type ListedRun, type SteersmanClient } from 'steersman/client';
import { hiddenLines } from 'steersman/rules';
import type { Push } from './feed.js';
import { waitingGate } from './waiting-gate.js';

const LOOK_MS = 1_000;
const MOST_RUNS = 100;
/** Limit for concurrent queries of runs. */
const AT_ONCE = 8;
/** Temporal usually lists runs in milliseconds: after this time, pages are told that it does not answer. */
const SILENT_MS = 3_000;
/** A run that answers later is included at the next look, so that a run without a worker does not delay others. */
const LATE_MS = 1_000;

type WaitingFrame = Extract<Frame, { type: 'waiting' }>;

type Listed = Pick<ListedRun, 'id' | 'goal'>;

/** The known state of a waiting run. */
interface Known {
  goal: string | null;
  gates: WaitingGate[];
  /** True if its worker answered the last query. */
  answered: boolean;
}

export class Waiting {
  readonly #client: () => Promise<SteersmanClient>;
  readonly #listeners = new Set<Push>();
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<void>>();
  #lastFrame: WaitingFrame | null = null;
  #trouble: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;

  constructor(client: () => Promise<SteersmanClient>) {
    this.#client = client;
  }

  listen(push: Push): () => void {
    if (this.#lastFrame) push(this.#lastFrame);
    if (this.#trouble !== null) push({ type: 'trouble', message: this.#trouble });
    this.#listeners.add(push);
    this.look();
    return () => void this.#listeners.delete(push);
  }

  /** Looks now, because a page has learned of a change. */
  look(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    void this.#look();
  }

  close(): void {
    this.#listeners.clear();
    if (this.#timer) clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      this.#tell(await this.#read());
    } catch (error) {
      this.#say(explainError(error)?.message ?? errorText(error));
    } finally {
      this.#looking = false;
      // Without listeners there are no further looks.
      if (this.#listeners.size > 0) this.#timer = setTimeout(() => this.look(), LOOK_MS);
      else this.#lastFrame = null;
    }
  }

  async #read(): Promise<WaitingFrame> {
    const client = await this.#client();
    const listed = await this.#list(client);
    const more = listed.length > MOST_RUNS;
    const runs = [...listed.slice(0, MOST_RUNS), ...this.#unlisted(listed.slice(0, MOST_RUNS), more)];
    for (let from = 0; from < runs.length; from += AT_ONCE) {
      const asked = Promise.all(runs.slice(from, from + AT_ONCE).map(run => this.#ask(client, run)));
      await Promise.race([asked, delay(LATE_MS)]);
    }
    const known = runs.flatMap(({ id }) => this.#known.get(id) ?? []);
    const gates = known.flatMap(each => each.gates).sort((a, b) => a.gate.openedAt - b.gate.openedAt);
    // Runs that have not answered yet are listed too. Otherwise a page that shows their gates would take these for
    // closed.
    const untold = runs.flatMap(({ id, goal }): UntoldRun[] =>
      this.#known.get(id)?.answered ? [] : [{ run: id, goal }],
    );
    return { type: 'waiting', gates, untold, more };
  }

  /** Lists waiting runs. If Temporal has died, this fails only after the client's retries; if it hangs, never. */
  async #list(client: SteersmanClient): Promise<ListedRun[]> {
    const silence = `Temporal at ${client.address} does not answer. Trying again …`;
    const timer = setTimeout(() => this.#say(silence), SILENT_MS);
    try {
      const listed: ListedRun[] = [];
      for await (const run of client.list({ waiting: true, limit: MOST_RUNS + 1 })) listed.push(run);
      this.#say(null);
      return listed;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns known runs that the list lacks. They have been answered, unless newer runs have pushed them off the list. */
  #unlisted(runs: readonly ListedRun[], more: boolean): Listed[] {
    const listed = new Set(runs.map(({ id }) => id));
    const left = [...this.#known].filter(([id]) => !listed.has(id));
    const stay = left.filter(([, { gates, answered }]) => more && (gates.length > 0 || !answered));
    for (const each of left) if (!stay.includes(each)) this.#known.delete(each[0]);
    return stay.map(([id, { goal }]) => ({ id, goal }));
  }

  /** Asks a run for its gates, unless a query is pending. */
  #ask(client: SteersmanClient, { id, goal }: Listed): Promise<void> {
    const asking =
      this.#asking.get(id) ??
      gatesOf(client, id)
        .then(
          gates => {
            const { gates: before = [] } = this.#known.get(id) ?? {};
            this.#known.set(id, { goal, gates: gates ?? before, answered: gates !== null });
          },
          error => {
            // The run was deleted since it was listed.
            if (explainError(error)?.code === 'not_found')
              this.#known.set(id, { goal, gates: [], answered: true });
          },
        )
        .finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return asking;
  }

  #tell(frame: WaitingFrame): void {
    if (this.#lastFrame && keyOf(this.#lastFrame) === keyOf(frame)) return;
    this.#lastFrame = frame;
    this.#push(frame);
  }

  #say(trouble: string | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#push({ type: 'trouble', message: trouble });
  }

  #push(frame: Frame): void {
    for (const listener of this.#listeners) listener(frame);
  }
}

/** Returns null if the run is open and no worker answers. */
async function gatesOf(client: SteersmanClient, id: string): Promise<WaitingGate[] | null> {
  const run = await client.attach(id);
  const state = await run.show();
  if (!state.answered && state.endedAt === null) return null;
  // The top-level run also lists the gates of its sub-agents.
  return state.gates.map(gate => withoutShown(waitingGate(state, gate)));
}

/** Leaves out a plan's tasks if the text of its gate already has them. */
function withoutShown({ tasks = [], ...waiting }: WaitingGate): WaitingGate {
  const { gate, input } = waiting;
  return hiddenLines(gate, { input, tasks }).length > 0 && gate.kind === 'plan'
    ? { ...waiting, tasks }
    : waiting;
}

function keyOf({ gates, untold, more }: WaitingFrame): string {
  const open = gates.map(({ run, gate }) => `${run} ${gate.id} ${gate.deadline}`);
  return [String(more), ...open, ...untold.map(({ run }) => run)].join('\n');
}
