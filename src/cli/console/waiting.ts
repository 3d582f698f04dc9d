/** One look-out for all that waits for a person, however many pages ask. */
import { explainError, type ListedRun, type SteersmanClient } from '../../client/index.js';
import { errorText } from '../../core/text/error-text.js';
import type { Frame, WaitingGate } from './api.js';
import type { Push } from './feed.js';

const LOOK_MS = 1_000;
const MOST_RUNS = 100;
/** Runs that are asked at once. */
const AT_ONCE = 8;

export class Waiting {
  readonly #client: () => Promise<SteersmanClient>;
  readonly #listeners = new Set<Push>();
  #gates: WaitingGate[] | null = null;
  #trouble: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;

  constructor(client: () => Promise<SteersmanClient>) {
    this.#client = client;
  }

  listen(push: Push): () => void {
    if (this.#gates) push({ type: 'waiting', gates: this.#gates });
    if (this.#trouble !== null) push({ type: 'trouble', message: this.#trouble });
    this.#listeners.add(push);
    this.look();
    return () => void this.#listeners.delete(push);
  }

  /** Looks now: a page has been told that something changed. */
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
      this.#say(null);
    } catch (error) {
      this.#say(explainError(error)?.message ?? errorText(error));
    } finally {
      this.#looking = false;
      // Nobody who looks costs nothing.
      if (this.#listeners.size > 0) this.#timer = setTimeout(() => this.look(), LOOK_MS);
      else this.#gates = null;
    }
  }

  async #read(): Promise<WaitingGate[]> {
    const client = await this.#client();
    const runs: ListedRun[] = [];
    for await (const run of client.list({ waiting: true, limit: MOST_RUNS })) runs.push(run);
    const found: WaitingGate[] = [];
    for (let from = 0; from < runs.length; from += AT_ONCE)
      found.push(
        ...(await Promise.all(runs.slice(from, from + AT_ONCE).map(run => gatesOf(client, run)))).flat(),
      );
    return found.sort((one, other) => one.gate.openedAt - other.gate.openedAt);
  }

  #tell(gates: WaitingGate[]): void {
    if (this.#gates && keysOf(this.#gates) === keysOf(gates)) return;
    this.#gates = gates;
    this.#push({ type: 'waiting', gates });
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

/** A run that has gone since it was listed, or that nobody tells of, waits for nobody. */
async function gatesOf(client: SteersmanClient, { id }: ListedRun): Promise<WaitingGate[]> {
  const snapshot = await client
    .attach(id)
    .then(run => run.show())
    .catch(() => null);
  if (snapshot === null) return [];
  const { goal, gates, inputs } = snapshot;
  // What a sub-agent asks is asked by the run at the top, too.
  return gates.map(gate => ({ run: id, goal, gate, input: inputs[gate.id] ?? null }));
}

function keysOf(gates: readonly WaitingGate[]): string {
  return gates.map(({ run, gate }) => `${run} ${gate.id} ${gate.deadline}`).join('\n');
}
