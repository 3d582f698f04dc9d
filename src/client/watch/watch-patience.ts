/** Decides when a watcher reports what it waits for. */
import type { Temporal } from '../connection/connect.js';
import type { RunDescription } from '../record/runs.js';
import { readStuckTask, stuckLine } from '../record/stuck-task.js';
import type { RunEvent } from './run-event.js';

/** The reason why a look had no result. */
export type Trouble = 'server' | 'worker' | 'refusal';

/** After this time without an answer the user is told about the wait. */
const PATIENCE_MS = 5_000;

export class Patience {
  readonly #temporal: Temporal;
  #failingSince: number | null = null;
  #trouble: Trouble = 'worker';
  #toldTrouble = false;
  #toldStuck: string | null = null;

  constructor(temporal: Temporal) {
    this.#temporal = temporal;
  }

  /** True if recent events were not read yet. */
  get isBehind(): boolean {
    return this.#failingSince !== null;
  }

  begins(): void {
    this.#failingSince ??= Date.now();
  }

  failed(trouble: Trouble): void {
    this.begins();
    this.#trouble = trouble;
  }

  recovered(): void {
    this.#failingSince = null;
    this.#toldTrouble = false;
  }

  serverIsBack(): void {
    if (this.#trouble === 'server') this.recovered();
  }

  /** Milliseconds until the notice. */
  get left(): number {
    return PATIENCE_MS - (Date.now() - (this.#failingSince ?? Date.now()));
  }

  /** Yields a notice about a long wait, once. */
  *over(): Generator<RunEvent> {
    if (this.#toldTrouble || this.left > 0) return;
    this.#toldTrouble = true;
    yield { type: 'notice', text: this.#waitsFor() };
  }

  /** Yields notices about why the run is stuck, once for each reason. */
  async *stuck(run: RunDescription): AsyncGenerator<RunEvent> {
    const stuck = await readStuckTask(this.#temporal.client, run).catch(() => null);
    if (stuck === null || stuck.what === this.#toldStuck) return;
    this.#toldStuck = stuck.what;
    this.#toldTrouble = true;
    yield { type: 'notice', text: stuckLine(stuck) };
    yield { type: 'notice', text: stuck.todo };
  }

  #waitsFor(): string {
    switch (this.#trouble) {
      case 'server':
        return `Temporal at ${this.#temporal.address} does not answer. Trying again …`;
      case 'refusal':
        return 'Its worker does not tell its events: it may be another program, or its answers are encoded for others.';
      case 'worker':
        return 'Waiting for a worker …';
    }
  }
}
