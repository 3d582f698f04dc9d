/** Reads a run's state, one query at a time. */
import type { Run, RunView } from 'steersman/client';

export class StateReader {
  readonly #run: Run;
  readonly #take: (state: RunView, asked: number) => void;
  asked = 0;
  #reading: Promise<void> | null = null;
  #again = false;

  /** `take` receives the state and the number of its query. */
  constructor(run: Run, take: (state: RunView, asked: number) => void) {
    this.#run = run;
    this.#take = take;
  }

  /** Queries the state; again if it was called meanwhile. A failed query is ignored. */
  read(): void {
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = this.#ask().finally(() => {
      this.#reading = null;
      if (!this.#again) return;
      this.#again = false;
      this.read();
    });
  }

  async done(): Promise<void> {
    await this.#reading;
  }

  async #ask(): Promise<void> {
    this.asked += 1;
    const { asked } = this;
    const state = await this.#run.state().catch(() => null);
    if (state !== null) this.#take(state, asked);
  }
}
