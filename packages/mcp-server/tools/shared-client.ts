/** A client that all calls share; the first call connects it. */
import type { ListedRun, ListOptions, Run, StartOptions, SteersmanError } from 'steersman/client';

/** The methods of a run that the tools use. */
export type RunHandle = Pick<
  Run,
  'id' | 'webUi' | 'workspace' | 'events' | 'show' | 'steer' | 'followUp' | 'answerGate' | 'stop'
>;

/** The part of `SteersmanClient` that the tools use, so that tests can replace it. */
export interface RunsApi {
  readonly address: string;
  readonly namespace: string;
  start(goal: string, options: StartOptions): Promise<RunHandle>;
  attach(id: string): Promise<RunHandle>;
  list(options: ListOptions): AsyncIterable<ListedRun>;
}

export class SharedClient {
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

  /** After such an error the next call reconnects, because a restarted local stack may have another address. */
  lostBy({ code }: SteersmanError): void {
    const away = code === 'unreachable' || code === 'uncertain';
    // It is not closed, because the SDK would retry calls in flight.
    if (away && this.#opening !== null) this.#forget(this.#opening);
  }

  #forget(opening: Promise<RunsApi>): void {
    if (this.#opening === opening) this.#opening = null;
  }
}
