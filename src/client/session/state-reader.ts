/** Reads where a run stands, one question at a time. */
import type { Run, RunView } from '../index.js';

export class StateReader {
  readonly #run: Run;
  readonly #take: (state: RunView) => void;
  #reading: Promise<void> | null = null;
  #again = false;

  constructor(run: Run, take: (state: RunView) => void) {
    this.#run = run;
    this.#take = take;
  }

  /** Asks; once more when asked meanwhile. Where nobody answers, nothing is taken. */
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

  /** Resolves when what was asked last is answered. */
  async done(): Promise<void> {
    await this.#reading;
  }

  async #ask(): Promise<void> {
    const state = await this.#run.state().catch(() => null);
    if (state !== null) this.#take(state);
  }
}
