/** One client for all calls, connected by the first of them. */
import { connect, type SteersmanError } from '../../client/index.js';
import type { Report } from '../../stack/download/temporal-binary.js';
import type { RunsApi } from './runs-api.js';

export class KeptClient {
  readonly #open: () => Promise<RunsApi>;
  #opening: Promise<RunsApi> | null = null;

  /** `open` connects; default: as the environment says, with lines of progress to `report`. */
  constructor({
    report,
    open = () => connect({ report }),
  }: { report: Report; open?: () => Promise<RunsApi> }) {
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
