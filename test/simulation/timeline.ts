/** The time of a simulation, for all of its runs: one thing happens after the other, when all else has come to rest. */
import { expectThat } from './expect-that.js';

/** Whose it is: what happens at the same time happens by path, then by number, whatever was known of first. */
export interface Position {
  /** The way to the run. */
  path: string;
  number: number;
}

interface Due extends Position {
  at: number;
  happen: () => void;
}

export interface Wait {
  path: string;
  isOver: () => boolean;
  deadline: number | null;
  /** Nobody does anything but wait: time passes, or somebody comes. */
  idle: () => void;
}

const MOST_IDLE = 20_000;

export class Timeline {
  now = 1_700_000_000_000;
  /** Calls that have begun, of all runs. */
  calls = 0;
  readonly #due: Due[] = [];
  #waits: (Wait & { wake: () => void })[] = [];
  readonly #clocks: ((ms: number) => void)[] = [];

  /** `clock` is told of all time that passes, before it has. */
  watch(clock: (ms: number) => void): void {
    this.#clocks.push(clock);
  }

  schedule(at: number, position: Position, happen: () => void): void {
    this.#due.push({ ...position, at, happen });
  }

  until(at: number, position: Position): Promise<void> {
    return new Promise(resolve => this.schedule(at, position, resolve));
  }

  wait(wait: Wait): Promise<void> {
    return new Promise(wake => this.#waits.push({ ...wait, wake }));
  }

  isWaiting(path: string): boolean {
    return this.#waits.some(wait => wait.path === path);
  }

  /** How many wait. */
  get waits(): number {
    return this.#waits.length;
  }

  /** Until the first wait runs out of its time; null where none does. */
  get left(): number | null {
    const deadlines = this.#waits.flatMap(({ deadline }) => (deadline === null ? [] : [deadline]));
    return deadlines.length === 0 ? null : Math.min(...deadlines) - this.now;
  }

  pass(ms: number): void {
    if (ms <= 0) return;
    for (const clock of this.#clocks) clock(ms);
    this.now += ms;
  }

  /** Lets things happen until it is over. */
  async run(isOver: () => boolean): Promise<void> {
    for (let idle = 0; ; ) {
      // After all that goes on by itself.
      await new Promise(setImmediate);
      if (isOver()) return;
      if (this.#wakes()) continue;
      const next = this.#due.reduce<Due | null>(
        (first, due) => (first && !isBefore(due, first) ? first : due),
        null,
      );
      const { left } = this;
      if (next && (left === null || next.at <= this.now + left)) {
        this.#due.splice(this.#due.indexOf(next), 1);
        this.pass(next.at - this.now);
        next.happen();
        idle = 0;
      } else if (next) this.pass(left ?? 0);
      else {
        idle += 1;
        const [first] = this.#waits;
        expectThat(first !== undefined && idle < MOST_IDLE, 'the simulation hangs');
        first.idle();
      }
    }
  }

  /** Those whose wait is over go on. */
  #wakes(): boolean {
    this.#waits.sort((a, b) => compare(a.path, b.path));
    const over = this.#waits.filter(
      ({ isOver, deadline }) => isOver() || (deadline !== null && this.now >= deadline),
    );
    this.#waits = this.#waits.filter(wait => !over.includes(wait));
    for (const { wake } of over) wake();
    return over.length > 0;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return (a.at - b.at || compare(a.path, b.path) || a.number - b.number) < 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
