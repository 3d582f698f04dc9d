/** The pager: it shows in full the texts that the session cut, and knows which of them it can open. */

import {
  definedOptions,
  gatePartLines,
  longLines,
  markdownLines,
  toolExchange,
  transcriptMarkdown,
} from '@steersman/print';
import { spokenText } from '@steersman/view';
import { formatDuration } from 'steersman/base';
import type { Gate, JournalEvent, ReplyForm, Run } from 'steersman/client';
import { contentText } from 'steersman/conversation';
import { type Known, wholeParts } from 'steersman/rules';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import type { Key } from '../input/keys.js';
import { fitPager, openPager, type Pager, pagerKey, pagerLines, type Reading } from './pager.js';
import type { Terminal } from './terminal.js';

/** A tool call or reply that was printed and may have been cut. */
interface Item {
  title: string;
  /** Returns the complete text, or as much as this process can read. */
  text(): Promise<string>;
}

const MOST_ITEMS = 200;
const SHOWN_CHARS = 100;
const SHOWN_LINES = 3;

export class Reader {
  readonly #run: Run;
  readonly #terminal: Terminal;
  readonly #colors: Colors;
  readonly #failed: (error: unknown) => void;
  /** Newest last. */
  readonly #items: Item[] = [];
  #pager: Pager | null = null;
  /** Index of the open item; null for a conversation. */
  #at: number | null = null;
  #whenClosed: (() => void) | null = null;

  constructor(run: Run, terminal: Terminal, colors: Colors, failed: (error: unknown) => void) {
    this.#run = run;
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

  /** Stores the part of an event that can be opened; `form` is the form of a reply. */
  note(event: JournalEvent, form: ReplyForm | undefined): void {
    if (event.type === 'tool_call_ended') {
      const { tool, ending, durationMs, messageId, text } = event;
      const title = `${tool} · ${ending} · ${formatDuration(durationMs)}`;
      this.#items.push({ title, text: () => this.#exchange(messageId, text) });
    }
    if (event.type === 'model_call_ended' && event.text) {
      const { role, text } = event;
      const words = spokenText(text, form) ?? text;
      // Shorter replies were printed in full.
      if (words.length > SHOWN_CHARS || words.trim().split('\n').length > SHOWN_LINES)
        this.#items.push({ title: `${role} replied`, text: async () => words });
    }
    this.#items.splice(0, this.#items.length - MOST_ITEMS);
  }

  /** Opens the gate that waits for an answer, else the newest item. */
  openLast(gate: Gate | undefined, known: Known): void {
    const { length } = this.#items;
    if (gate === undefined) return void this.#openItem(length - 1);
    const title = `${gate.id} · ${terminalText(gate.title)}`;
    const parts = wholeParts(gate, known);
    this.#show(length, async () => ({
      title,
      layout: width => gatePartLines(parts, { width, colors: this.#colors }),
    }));
  }

  /** Shows the whole conversation, or one thread of it. */
  openTranscript(thread: string | undefined): void {
    const run = this.#run;
    this.#show(null, async () =>
      this.#markdown(
        `Conversation of ${run.id}`,
        transcriptMarkdown(run.id, await run.transcript(definedOptions({ thread }))),
      ),
    );
  }

  key(key: Key): void {
    if (this.#pager === null) return;
    const asked = pagerKey(this.#pager, key, this.#size);
    if (asked === 'close') this.#close();
    else if (asked === 'earlier' || asked === 'later') {
      if (this.#at !== null) this.#openItem(this.#at + (asked === 'earlier' ? -1 : 1));
    } else this.#pager = asked;
  }

  /** Returns the lines of the screen while something is open; `note` is another message for the person. */
  area(note: string): string[] {
    if (this.#pager === null) return [];
    this.#pager = fitPager(this.#pager, this.#size);
    return pagerLines(this.#pager, this.#size, note, this.#colors);
  }

  #openItem(at: number): void {
    const item = this.#items[at];
    if (item === undefined) return;
    this.#show(at, async () => {
      const text = terminalText(await item.text());
      const title = `${at + 1} of ${this.#items.length} · ${terminalText(item.title)}`;
      return { title, layout: width => longLines(text, width) };
    });
  }

  /** Opens an item at its start; a conversation (`at` null) at its end. */
  #show(at: number | null, read: () => Promise<Reading>): void {
    read().then(
      reading => {
        this.#at = at;
        this.#pager = openPager(reading, this.#size, at === null);
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

  /** Lines of code are wrapped too, so that the screen cuts nothing. */
  #markdown(title: string, text: string): Reading {
    const lines = (width: number) => markdownLines(text, { width, colors: this.#colors });
    return { title, layout: width => lines(width).flatMap(line => longLines(line, width)) };
  }

  async #exchange(messageId: string, preview: string): Promise<string> {
    const exchange = toolExchange(await this.#run.transcript(), messageId);
    if (exchange === null) return `The conversation no longer has it. The journal keeps:\n\n${preview}`;
    const { call, result } = exchange;
    const input = call === null ? '' : (call.raw ?? JSON.stringify(call.input, null, 2));
    const parts = await Promise.all(
      result.content.map(async part => {
        const ref = part.type === 'json' || part.type === 'image' ? undefined : part.ref;
        return ref === undefined
          ? contentText([part])
          : this.#run.stored(ref).catch(() => contentText([part]));
      }),
    );
    return [input, result.note, ...parts].filter(text => text !== '').join('\n\n');
  }
}
