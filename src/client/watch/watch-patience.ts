/** What one watcher waits for, and when it says so. */
import type { Temporal } from '../connection/connect.js';
import type { RunDescription } from '../record/runs.js';
import { readStuckTask, stuckLine } from '../record/stuck-task.js';
import type { RunEvent } from './run-event.js';

/** Why a look brought nothing. */
export type Trouble = 'server' | 'worker' | 'refusal';

/** After so long without an answer the user is told what is waited for. */
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

  /** What has happened was not read yet. */
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

  /** Milliseconds. */
  get left(): number {
    return PATIENCE_MS - (Date.now() - (this.#failingSince ?? Date.now()));
  }

  /** Says what is waited for, once, when it takes long. */
  *over(): Generator<RunEvent> {
    if (this.#toldTrouble || this.left > 0) return;
    this.#toldTrouble = true;
    yield { type: 'notice', text: this.#waitsFor() };
  }

  /** Says why the run goes no further, once for each reason. */
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
