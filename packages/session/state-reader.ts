/** Reads where a run stands, one question at a time. */
import type { Run, RunView } from 'steersman/client';

export class StateReader {
  readonly #run: Run;
  readonly #take: (state: RunView, asked: number) => void;
  asked = 0;
  #reading: Promise<void> | null = null;
  #again = false;

  /** `take` gets with the answer the number of its question. */
  constructor(run: Run, take: (state: RunView, asked: number) => void) {
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
