/** One client for all calls, connected by the first of them. */
import type { ListedRun, ListOptions, Run, StartOptions, SteersmanError } from 'steersman/client';

/** What the tools use of a run. */
export type RunHandle = Pick<
  Run,
  'id' | 'webUi' | 'workspace' | 'events' | 'show' | 'steer' | 'followUp' | 'answerGate' | 'stop'
>;

/** What they use of a `SteersmanClient`, so that a fake can stand in for it. */
export interface RunsApi {
  readonly address: string;
  readonly namespace: string;
  start(goal: string, options: StartOptions): Promise<RunHandle>;
  attach(id: string): Promise<RunHandle>;
  list(options: ListOptions): AsyncIterable<ListedRun>;
}

export class KeptClient {
  readonly #open: () => Promise<RunsApi>;
  #opening: Promise<RunsApi> | null = null;

  constructor(open: () => Promise<RunsApi>) {
    this.#open = open;
  }

  get(): Promise<RunsApi> {
    if (this.#opening === null) {
      const opening = this.#open();
      this.#opening = opening;
      opening.catch(() => this.#forget(opening));
    }
    return this.#opening;
  }

  /** After such an error the next call connects anew: a local stack may be back at another address. */
  lostBy({ code }: SteersmanError): void {
    const away = code === 'unreachable' || code === 'uncertain';
    // Not closed: calls may be under way in it, and the SDK would try them again.
    if (away && this.#opening !== null) this.#forget(this.#opening);
  }

  #forget(opening: Promise<RunsApi>): void {
    if (this.#opening === opening) this.#opening = null;
  }
}
