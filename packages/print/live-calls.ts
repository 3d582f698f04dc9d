/**
 * Prints the text of model calls as it streams. Of a JSON reply it prints the words for people, once the reply has
 * ended.
 */

import { isJson, jsonStart, mayBecomeJson, spokenText } from '@steersman/view';
import { formatCount } from 'steersman/base';
import type { JournalPayloads, TextDelta } from 'steersman/client';
import { beginHearing, type HeardReply, hear } from 'steersman/run';
import type { TextSink } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { whoseLine } from './event-lines.js';

type Channel = TextDelta['channel'];

/** What was shown of one attempt at a reply. */
const NOTHING = {
  /** Where each channel ends that was shown or marked as missing. */
  shown: {} as Partial<Record<Channel, number>>,
  /** Its text is JSON: the words in it are told when it has ended. */
  quiet: false,
  /** The beginning of JSON was not seen: nothing in it can be told apart. */
  late: false,
};

/** A model call in flight, as far as it was shown. */
type CallView = typeof NOTHING &
  Pick<TextDelta, 'form' | 'taskId'> & {
    heard: HeardReply;
    /** Where its text goes once another task is at work beside its own: whole lines that name the task. */
    beside: TextSink | null;
  };

interface Speaker {
  /** In front of each line of a sub-agent; '' for the run itself. */
  who: string;
  /** Whether another task is at work beside this one. */
  isBeside: (taskId: string) => boolean;
}

/** Model calls that have started and not ended, on a sink. */
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

  /** It brings no reply, or has brought it. */
  forget(callId: string): void {
    this.#running.get(callId)?.beside?.endText();
    this.#running.delete(callId);
  }

  /** Decides where a call's text is printed. Once its lines name the task, they keep doing so. */
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

  /** More of a text. What is of an older attempt, or was heard before, adds nothing. */
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
      // Its first characters can be a fence, with JSON or words to follow.
      if (mayBecomeJson(text)) return;
      call.quiet = isJson(text);
    }
    if (call.quiet || call.late) return;
    this.#show(call, channel, from, call.form === 'json' ? wordsBefore(text) : text);
    call.quiet = call.form === 'json' && jsonStart(text) >= 0;
  }

  /** The reply is whole. */
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

  /** The rest of the text; all of it where a gap was marked. */
  #complete(call: CallView | undefined, text: string, sink: TextSink): void {
    if (call && call.heard.text.from > 0) {
      sink.endText();
      this.#note('the whole reply:');
      sink.text(terminalText(isJson(text) ? (spokenText(text) ?? '') : text));
    } else this.#print('text', text.slice(call?.shown.text ?? 0), sink);
  }

  /** What is new of a text that begins at `from`. */
  #show(call: CallView, channel: Channel, from: number, text: string): void {
    const shown = call.shown[channel] ?? 0;
    if (from + text.length <= shown) return;
    const sink = this.#sinkOf(call);
    call.shown[channel] = from + text.length;
    if (from > shown) sink.text(sink.colors.yellow(`[… ${formatCount(from - shown)} characters not seen …]`));
    this.#print(channel, text.slice(Math.max(0, shown - from)), sink);
  }

  /**
   * Reasoning is dim and on lines of its own, and that of sub-agents and of tasks side by side is left out, for
   * several think at once; arguments of tools come with their event.
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

  /** A line without a time. */
  #note(text: string): void {
    this.#sink.line(`      ${this.#speaker.who}${this.#sink.colors.yellow(text)}`);
  }
}

function tell(sink: TextSink, words: string | null): void {
  sink.endText();
  sink.text(terminalText(words ?? ''));
}

/** The words before the JSON that such a role may speak; what may become JSON is waited for. */
function wordsBefore(text: string): string {
  const at = jsonStart(text);
  const end = at >= 0 ? at : text.search(/[`{[]\s*$/);
  return (end < 0 ? text : text.slice(0, end)).trimEnd();
}

/** A line that grows longer is broken at a blank, so that it is seen while it is written. */
const LINE_CHARS = 100;

/**
 * Running text of one of several that speak at once: it reaches the sink in whole lines, `before` in front of each, so
 * that none mix within one.
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
