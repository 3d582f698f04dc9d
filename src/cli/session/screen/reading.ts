/** What a person opens to read whole: what the lines that scroll by show only in part. */

import type { Run, ToolInput } from '../../../client/index.js';
import type { Gate } from '../../../core/gates/gate.js';
import type { JournalEvent, ReplyForm } from '../../../core/state/journal.js';
import { contentText } from '../../../core/tools/tool-result.js';
import { formatDuration } from '../../../shared/format.js';
import type { Colors } from '../../../shared/output.js';
import { terminalText } from '../../../shared/terminal-text.js';
import { wholeBody } from '../../print/gate-help.js';
import { longLines } from '../../print/layout.js';
import { markdownLines } from '../../print/markdown.js';
import { spokenText } from '../../print/reply-text.js';
import { toolExchange, transcriptMarkdown } from '../../print/transcript.js';
import type { Reading } from './pager.js';

/** Something that scrolled by and may have been cut. */
interface Item {
  title: string;
  /** All of it, or what is known of it here. */
  text(): Promise<string>;
}

const MOST_ITEMS = 200;
const SHOWN_CHARS = 100;
const SHOWN_LINES = 3;

/** Tool calls and replies as they went by, the newest last. */
export class Readings {
  readonly #items: Item[] = [];
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  get count(): number {
    return this.#items.length;
  }

  /** Notes what can be opened of an event; `form` is that of a reply. */
  note(event: JournalEvent, form: ReplyForm | undefined): void {
    if (event.type === 'tool_call_ended') {
      const { tool, ending, durationMs, messageId, text } = event;
      const title = `${tool} · ${ending} · ${formatDuration(durationMs)}`;
      this.#add({ title, text: () => this.#exchange(messageId, text) });
    }
    if (event.type !== 'model_call_ended' || !event.text) return;
    const { role, text } = event;
    const words = spokenText(text, form) ?? text;
    // What is shorter was shown whole.
    if (words.length > SHOWN_CHARS || words.trim().split('\n').length > SHOWN_LINES)
      this.#add({ title: `${role} replied`, text: async () => words });
  }

  #add(item: Item): void {
    this.#items.push(item);
    this.#items.splice(0, this.#items.length - MOST_ITEMS);
  }

  gate({ id, title, body }: Gate, input: ToolInput | null, colors: Colors): Reading {
    const whole = wholeBody({ body }, input);
    return {
      title: `${id} · ${terminalText(title)}`,
      layout: width => wholeMarkdown(whole, width, colors),
    };
  }

  async open(at: number): Promise<Reading | null> {
    const item = this.#items[at];
    if (item === undefined) return null;
    const text = terminalText(await item.text());
    const title = `${at + 1} of ${this.#items.length} · ${terminalText(item.title)}`;
    return { title, layout: width => longLines(text, width) };
  }

  async transcript(thread: string | undefined, colors: Colors): Promise<Reading> {
    const { id } = this.#run;
    const markdown = transcriptMarkdown(
      id,
      await this.#run.transcript(thread === undefined ? {} : { thread }),
    );
    return {
      title: `Conversation of ${id}`,
      layout: width => wholeMarkdown(markdown, width, colors),
    };
  }

  async #exchange(messageId: string, preview: string): Promise<string> {
    const transcripts = await this.#run.transcript();
    const exchange = toolExchange(transcripts, messageId);
    if (exchange === null)
      return `The conversation does not have it any more. What the journal keeps:\n\n${preview}`;
    const { call, result } = exchange;
    const given = call === null ? '' : (call.raw ?? JSON.stringify(call.input, null, 2));
    const parts = await Promise.all(
      result.content.map(async part => {
        const ref = part.type === 'json' || part.type === 'image' ? undefined : part.ref;
        return ref === undefined
          ? contentText([part])
          : this.#run.stored(ref).catch(() => contentText([part]));
      }),
    );
    return [given, result.note, ...parts].filter(text => text !== '').join('\n\n');
  }
}

/** Lines of code wrapped as well: nothing is beyond the edge of the screen. */
function wholeMarkdown(text: string, width: number, colors: Colors): string[] {
  return markdownLines(text, { width, colors }).flatMap(line => longLines(line, width));
}
