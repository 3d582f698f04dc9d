/** What the scenario has for certain moments: stops, cancellations, and what people do then. */
import type { Crowd } from './crowd.js';
import type { Moment, Scenario } from './scenario.js';

export class Moments {
  readonly #scenario: Scenario;
  readonly #crowd: Crowd;
  readonly #cancel: () => void;
  readonly #struck = new Set<Moment>();

  constructor(scenario: Scenario, crowd: Crowd, cancel: () => void) {
    this.#scenario = scenario;
    this.#crowd = crowd;
    this.#cancel = cancel;
  }

  /** Lets stop and cancellation happen at their moments; a second stop follows the first now and then. */
  strike(where: Moment['where'], at: number): void {
    const { stop, cancel, seed } = this.#scenario;
    if (this.#isDue(stop, where, at)) {
      for (let times = seed % 4 === 0 ? 2 : 1; times > 0; times -= 1) {
        this.#crowd.stops(seed % 3 === 0 ? null : { reason: 'enough' });
      }
    }
    this.#crowd.actsAt(at, where);
    if (this.#isDue(cancel, where, at)) this.#cancel();
  }

  #isDue(moment: Moment | null, where: Moment['where'], at: number): boolean {
    if (moment?.where !== where || this.#struck.has(moment)) return false;
    if (where === 'during' ? at !== moment.call : at < moment.call) return false;
    this.#struck.add(moment);
    return true;
  }
}
