/** Prints the text of model calls as it streams. For a JSON reply it prints the text for people once the reply has ended. */

import { isJson, jsonStart, mayBecomeJson, spokenText } from '@steersman/view';
import { formatCount } from 'steersman/base';
import type { JournalPayloads, TextDelta } from 'steersman/client';
import { beginHearing, hear, type ReceivedReply } from 'steersman/run';
import type { TextSink } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { whoseLine } from './event-lines.js';

type Channel = TextDelta['channel'];

/** The printed part of one attempt at a reply. */
const NOTHING = {
  /** End of the text, in each channel, that was printed or marked as missing. */
  shown: {} as Partial<Record<Channel, number>>,
  /** True if the text is JSON: the part of it that people read is printed at the end. */
  quiet: false,
  /** The beginning of the JSON was missed, so its fields can't be identified. */
  late: false,
};

/** A model call in flight, with its printed part. */
type CallView = typeof NOTHING &
  Pick<TextDelta, 'form' | 'taskId'> & {
    heard: ReceivedReply;
    /** The sink for its text once another task works at the same time: whole lines that name the task. */
    beside: TextSink | null;
  };

interface Speaker {
  /** Prefix of a sub-agent's lines; '' for the run itself. */
  who: string;
  /** Returns true if another task works at the same time. */
  isBeside: (taskId: string) => boolean;
}

/** The model calls in flight of a sink. */
export class LiveCalls {
  readonly #sink: TextSink;
  readonly #speaker: Speaker;
  readonly #running = new Map<string, CallView>();
  #channel: Channel = 'text';

  constructor(sink: TextSink, speaker: Speaker) {
    this.#sink = sink;
    this.#speaker = speaker;
  }

  started({ callId, form, taskId }: JournalPayloads['model_call_started']): void {
    this.#running.set(callId, { ...NOTHING, shown: {}, heard: beginHearing(), form, taskId, beside: null });
  }

  /** Removes a call that failed, or whose reply was printed. */
  forget(callId: string): void {
    this.#running.get(callId)?.beside?.endText();
    this.#running.delete(callId);
  }

  /** Chooses the sink of a call's text. Once its lines name the task, they always do. */
  #sinkOf(call: CallView | undefined): TextSink {
    if (!call || call.taskId === null) return this.#sink;
    if (call.beside === null) {
      if (!this.#speaker.isBeside(call.taskId)) return this.#sink;
      this.#sink.endText();
      const task = whoseLine(call.taskId, this.#sink.colors);
      call.beside = wholeLines(this.#sink, `      ${this.#speaker.who}${task}`);
    }
    return call.beside;
  }

  /** Prints a new piece of text. Pieces of an older attempt, or repeated ones, add nothing. */
  heard(piece: TextDelta): void {
    const call = this.#running.get(piece.callId);
    if (call === undefined || piece.attempt < call.heard.attempt) return;
    const before = call.heard;
    call.heard = hear(before, piece);
    const isAgain = call.heard.attempt > before.attempt;
    if (isAgain) {
      if (before.text.text !== '' || Object.keys(call.shown).length > 0) this.#again(call);
      Object.assign(call, NOTHING, { shown: {} });
    }
    const { channel } = piece;
    const { from, text } = call.heard[channel];
    if (channel !== 'text') return void this.#show(call, channel, from, text);
    call.late ||= call.form === 'json' && from > 0 && (isAgain || before.text.text === '');
    if (from === 0 && !call.quiet) {
      // The first characters may be a fence, followed by JSON or text.
      if (mayBecomeJson(text)) return;
      call.quiet = isJson(text);
    }
    if (call.quiet || call.late) return;
    this.#show(call, channel, from, call.form === 'json' ? wordsBefore(text) : text);
    call.quiet = call.form === 'json' && jsonStart(text) >= 0;
  }

  /** Prints the rest of a complete reply. */
  ended(callId: string, reply: string): void {
    const call = this.#running.get(callId);
    const sink = this.#sinkOf(call);
    const { form, quiet, late, shown } = call ?? { ...NOTHING, form: 'words' as const };
    const unseen = shown.text === undefined;
    const json = form === 'json' ? jsonStart(reply) : -1;
    if (!unseen && json > 0 && !late) {
      // Text before the JSON was already printed as it streamed.
      this.#complete(call, reply.slice(0, json).trimEnd(), sink);
      tell(sink, spokenText(reply.slice(json), form));
    } else if (quiet || late || json > 0 || (unseen && isJson(reply))) tell(sink, spokenText(reply, form));
    else this.#complete(call, reply, sink);
    this.forget(callId);
  }

  /** Prints the rest of the text; all of it if a gap was marked. */
  #complete(call: CallView | undefined, text: string, sink: TextSink): void {
    if (call && call.heard.text.from > 0) {
      sink.endText();
      this.#note('the whole reply:');
      sink.text(terminalText(isJson(text) ? (spokenText(text) ?? '') : text));
    } else this.#print('text', text.slice(call?.shown.text ?? 0), sink);
  }

  /** Prints the new part of a text that begins at `from`. */
  #show(call: CallView, channel: Channel, from: number, text: string): void {
    const shown = call.shown[channel] ?? 0;
    if (from + text.length <= shown) return;
    const sink = this.#sinkOf(call);
    call.shown[channel] = from + text.length;
    if (from > shown) sink.text(sink.colors.yellow(`[… ${formatCount(from - shown)} characters not seen …]`));
    this.#print(channel, text.slice(Math.max(0, shown - from)), sink);
  }

  /**
   * Prints reasoning dim and on its own lines; reasoning of sub-agents and concurrent tasks is left out, because
   * several may reason at once. Arguments of tools are printed with their event.
   */
  #print(channel: Channel, text: string, sink: TextSink): void {
    const several = this.#speaker.who !== '' || sink !== this.#sink;
    if (text === '' || channel === 'tool_input' || (channel === 'reasoning' && several)) return;
    if (channel !== this.#channel) sink.endText();
    this.#channel = channel;
    const clean = terminalText(text);
    sink.text(channel === 'reasoning' ? this.#sink.colors.dim(clean) : clean);
  }

  #again(call: CallView): void {
    this.#sinkOf(call).endText();
    this.#note(`attempt ${call.heard.attempt}: the reply starts again`);
  }

  /** Prints a line without a time. */
  #note(text: string): void {
    this.#sink.line(`      ${this.#speaker.who}${this.#sink.colors.yellow(text)}`);
  }
}

function tell(sink: TextSink, words: string | null): void {
  sink.endText();
  sink.text(terminalText(words ?? ''));
}

/** Returns the text before the JSON of such a role; an ending that may become JSON is held back. */
function wordsBefore(text: string): string {
  const at = jsonStart(text);
  const end = at >= 0 ? at : text.search(/[`{[]\s*$/);
  return (end < 0 ? text : text.slice(0, end)).trimEnd();
}

/** A longer line is broken at a blank, so that it appears while it is written. */
const LINE_CHARS = 100;

/**
 * Returns a sink for one of several concurrent texts: it passes on whole lines, each with the prefix `before`, so that
 * texts do not mix within a line.
 */
export function wholeLines(sink: TextSink, before: string): TextSink {
  let begun = '';
  const put = (line: string) => {
    if (line.trim() !== '') sink.line(`${before}${line.trimEnd()}`);
  };
  const endText = () => {
    put(begun);
    begun = '';
  };
  return {
    colors: sink.colors,
    line: text => {
      endText();
      sink.line(text);
    },
    text: chunk => {
      const lines = `${begun}${chunk}`.split('\n').flatMap(brokenAtBlanks);
      begun = chunk.endsWith('\n') ? '' : (lines.pop() ?? '');
      for (const line of lines) put(line);
    },
    endText,
  };
}

function brokenAtBlanks(line: string): string[] {
  if (line.length <= LINE_CHARS) return [line];
  const at = line.lastIndexOf(' ', LINE_CHARS);
  return at <= 0 ? [line] : [line.slice(0, at), ...brokenAtBlanks(line.slice(at + 1))];
}
