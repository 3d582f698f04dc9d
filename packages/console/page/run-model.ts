/** The page's model of a run: it draws again after changes, and reads earlier events on demand. */
import { signal } from '@preact/signals';
import { type Durable, RunFold } from '@steersman/view';
import type { RunEvent } from 'steersman/client';
import { get, runPath } from './ask.js';

export class RunModel extends RunFold {
  /** Incremented at each change, so that components draw again. */
  readonly version = signal(0);
  #frame = 0;

  constructor(id: string) {
    super(id, () => this.#drawSoon());
  }

  /** Reads events before the first one in memory. Throws the server's refusal. */
  async readEarlier(): Promise<void> {
    const { from } = this;
    if (from === null || from <= 1) return;
    const first = Math.max(1, from - EARLIER);
    const earlier: Durable[] = [];
    for (let since = first - 1; since < from - 1; ) {
      const page = await get<RunEvent[]>(runPath(this.id, `events?since=${since}`));
      const durable = page.filter((event): event is Durable => 'seq' in event);
      const last = durable.findLast(({ path }) => path === undefined)?.seq ?? since;
      earlier.push(...durable);
      if (last <= since) break;
      since = last;
    }
    this.prepend(earlier, from, first);
  }

  /** Joins the changes of many frames into one drawing. */
  #drawSoon(): void {
    if (this.#frame !== 0) return;
    const draw = () => {
      this.#frame = 0;
      this.version.value += 1;
    };
    // A hidden page has no animation frames, but must be complete when it becomes visible.
    this.#frame = document.hidden ? Number(setTimeout(draw, 100)) : requestAnimationFrame(draw);
  }
}

/** Number of the run's events that one request for earlier ones covers. */
const EARLIER = 500;
