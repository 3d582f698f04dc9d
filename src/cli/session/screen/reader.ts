/** A person reads something whole: the pager over the session, and what is opened in it. */

import type { Gate, ToolInput } from '../../../client/index.js';
import type { Colors } from '../../../shared/output.js';
import type { Key } from '../input/keys.js';
import { fitPager, openPager, type Pager, pagerKey, pagerLines, type Reading } from './pager.js';
import type { Readings } from './reading.js';
import type { Terminal } from './terminal.js';

export class Reader {
  readonly #readings: Readings;
  readonly #terminal: Terminal;
  readonly #colors: Colors;
  readonly #failed: (error: unknown) => void;
  #pager: Pager | null = null;
  /** Place of the item that is open; null for a conversation. */
  #at: number | null = null;
  #whenClosed: (() => void) | null = null;

  constructor(readings: Readings, terminal: Terminal, colors: Colors, failed: (error: unknown) => void) {
    this.#readings = readings;
    this.#terminal = terminal;
    this.#colors = colors;
    this.#failed = failed;
  }

  get isOpen(): boolean {
    return this.#pager !== null;
  }

  closed(): Promise<void> {
    if (this.#pager === null) return Promise.resolve();
    return new Promise(resolve => {
      this.#whenClosed = resolve;
    });
  }

  /** What waits for an answer, else the last thing that went by. */
  openLast(gate: Gate | undefined, input: ToolInput | null): void {
    const { count } = this.#readings;
    if (gate) this.#show(count, Promise.resolve(this.#readings.gate(gate, input, this.#colors)), false);
    else this.#openItem(count - 1);
  }

  openTranscript(thread: string | undefined): void {
    this.#show(null, this.#readings.transcript(thread, this.#colors), true);
  }

  key(key: Key): void {
    if (this.#pager === null) return;
    const asked = pagerKey(this.#pager, key, this.#size);
    if (asked === 'close') this.#close();
    else if (asked === 'earlier' || asked === 'later') {
      if (this.#at !== null) this.#openItem(this.#at + (asked === 'earlier' ? -1 : 1));
    } else this.#pager = asked;
  }

  /** The screen while something is open; `note` is what else a person should know. */
  area(note: string): string[] {
    if (this.#pager === null) return [];
    this.#pager = fitPager(this.#pager, this.#size);
    return pagerLines(this.#pager, this.#size, note, this.#colors);
  }

  #openItem(at: number): void {
    this.#show(at, this.#readings.open(at), false);
  }

  #show(at: number | null, reading: Promise<Reading | null>, atEnd: boolean): void {
    reading.then(
      found => {
        if (found === null) return;
        this.#at = at;
        this.#pager = openPager(found, this.#size, atEnd);
        this.#terminal.fullScreen(true);
        this.#terminal.refresh();
      },
      error => this.#failed(error),
    );
  }

  #close(): void {
    this.#pager = null;
    this.#terminal.fullScreen(false);
    this.#whenClosed?.();
  }

  get #size() {
    return { columns: this.#terminal.columns(), rows: this.#terminal.rows() };
  }
}
