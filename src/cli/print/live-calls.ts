/** The running text of model calls as it comes. Of a reply that is JSON the words that are meant for people, when it has ended. */

import type { LiveChannel, TextDelta } from '../../client/watch/live-text.js';
import type { JournalPayloads, ReplyForm } from '../../core/state/journal.js';
import { formatCount } from '../../shared/format.js';
import type { TextSink } from '../../shared/output.js';
import { terminalText } from '../../shared/terminal-text.js';
import { whoseLine } from './event-lines.js';
import { isJson, jsonStart, mayBecomeJson, spokenText } from './reply-text.js';
import { wholeLines } from './whole-lines.js';

/** A model call in flight, as far as it was shown. */
interface CallView {
  progress: LiveProgress | null;
  /** The text of its reply, as far as nothing of it is missing. */
  heard: TextDelta | null;
  form: ReplyForm;
  /** Its text is JSON: the words in it are told when it has ended. */
  quiet: boolean;
  /** Its beginning was not seen. */
  late: boolean;
  taskId: string | null;
  /** Where its text goes once another task is at work beside its own: whole lines that name the task. */
  beside: TextSink | null;
}

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
  #channel: LiveChannel = 'text';

  constructor(sink: TextSink, speaker: Speaker) {
    this.#sink = sink;
    this.#speaker = speaker;
  }

  started({ callId, form, taskId }: JournalPayloads['model_call_started']): void {
    this.#running.set(callId, {
      progress: null,
      heard: null,
      form,
      quiet: false,
      late: false,
      taskId,
      beside: null,
    });
  }

  /** It brings no reply, or has brought it. */
  forget(callId: string): void {
    this.#running.get(callId)?.beside?.endText();
    this.#running.delete(callId);
  }

  /** Where the text of a call goes: once it has named its task it goes on so. */
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

  /** More of a text. */
  heard(delta: TextDelta): void {
    const call = this.#running.get(delta.callId);
    if (call === undefined) return;
    const isText = delta.channel === 'text';
    const live = isText ? joined(call.heard, delta) : delta;
    if (isText) call.heard = live;
    // Of JSON that began before this watch nothing can be told apart: its words come when it has ended.
    if (isText && call.form === 'json' && call.progress === null && live.offset > 0) call.late = true;
    if (call.late) call.quiet = true;
    if (isText && live.offset === 0 && !call.quiet) {
      // Its first characters can be a fence, with JSON or words to follow.
      if (mayBecomeJson(live.text)) return;
      call.quiet = isJson(live.text);
    }
    const before = isText && call.form === 'json' && !call.quiet ? wordsBefore(live) : live;
    const followed = followLive(call.progress, before);
    call.progress = followed.progress;
    this.#print(
      isText && call.quiet ? followed.deltas.filter(delta => delta.type === 'reset') : followed.deltas,
      this.#sinkOf(call),
    );
    if (before !== live && jsonStart(live.text) >= 0) call.quiet = true;
  }

  /** The reply is whole. */
  ended(callId: string, reply: string): void {
    const call = this.#running.get(callId);
    const sink = this.#sinkOf(call);
    const { progress, form, quiet, late } = call ?? {
      progress: null,
      form: 'words',
      quiet: false,
      late: false,
    };
    const unseen = progress?.shown.text === undefined;
    const json = form === 'json' ? jsonStart(reply) : -1;
    if (!unseen && json > 0 && !late) {
      // What stands before the JSON was told as it came.
      this.#print(completeLive(progress, reply.slice(0, json).trimEnd()), sink);
      tell(sink, spokenText(reply.slice(json), form));
    } else if (quiet || json > 0 || (unseen && isJson(reply))) tell(sink, spokenText(reply, form));
    else this.#print(completeLive(progress, reply), sink);
    this.forget(callId);
  }

  #print(deltas: LiveDelta[], sink: TextSink): void {
    const { yellow } = this.#sink.colors;
    for (const delta of deltas) {
      switch (delta.type) {
        case 'reset':
          sink.endText();
          this.#note(yellow(`attempt ${delta.attempt}: the reply starts again`));
          break;
        case 'gap':
          sink.text(yellow(`[… ${formatCount(delta.chars)} characters not seen …]`));
          break;
        case 'text':
          this.#printText(delta.channel, delta.text, sink);
          break;
        case 'whole':
          sink.endText();
          this.#note(yellow('the whole reply:'));
          sink.text(terminalText(isJson(delta.text) ? (spokenText(delta.text) ?? '') : delta.text));
          break;
      }
    }
  }

  /**
   * Reasoning is dim and on lines of its own, and that of sub-agents and of tasks side by side is left out, for several think at once; arguments
   * of tools come with their event.
   */
  #printText(channel: LiveChannel, text: string, sink: TextSink): void {
    if (
      channel === 'tool_input' ||
      (channel === 'reasoning' && (this.#speaker.who !== '' || sink !== this.#sink))
    )
      return;
    if (channel !== this.#channel) sink.endText();
    this.#channel = channel;
    const clean = terminalText(text);
    sink.text(channel === 'reasoning' ? this.#sink.colors.dim(clean) : clean);
  }

  /** A line without a time. */
  #note(text: string): void {
    this.#sink.line(`      ${this.#speaker.who}${text}`);
  }
}

function tell(sink: TextSink, words: string | null): void {
  sink.endText();
  sink.text(terminalText(words ?? ''));
}

/** The words before the JSON that such a role may speak; what may become JSON is waited for. */
function wordsBefore(live: TextDelta): TextDelta {
  const at = jsonStart(live.text);
  const end = at >= 0 ? at : live.text.search(/[`{[]\s*$/);
  return { ...live, text: (end < 0 ? live.text : live.text.slice(0, end)).trimEnd() };
}

// What the plain view prints of the live text of a model call: texts in, deltas out. Pure.

/** The texts of a call together, as long as nothing is missing between them. */
function joined(before: TextDelta | null, delta: TextDelta): TextDelta {
  const fits =
    before !== null &&
    before.attempt === delta.attempt &&
    before.channel === delta.channel &&
    before.offset + before.text.length === delta.offset;
  return fits ? { ...before, text: before.text + delta.text } : delta;
}

export type LiveDelta =
  /** The call was started again: what was printed of it does not count. */
  | { type: 'reset'; attempt: number }
  /** This many characters were not seen. */
  | { type: 'gap'; chars: number }
  | { type: 'text'; channel: LiveChannel; text: string }
  /** The whole reply, since parts of it were not seen. */
  | { type: 'whole'; text: string };

/** What was printed of one call. */
export interface LiveProgress {
  attempt: number;
  /** Characters of each channel that were printed or marked as a gap. */
  shown: Partial<Record<LiveChannel, number>>;
  /** Text of the reply was not seen. */
  gap: boolean;
}

const NOTHING_SHOWN: Pick<LiveProgress, 'shown' | 'gap'> = { shown: {}, gap: false };

/** What one text adds. A text of an older attempt, or one seen before, adds none. */
export function followLive(
  progress: LiveProgress | null,
  live: TextDelta,
): { progress: LiveProgress; deltas: LiveDelta[] } {
  if (progress && live.attempt < progress.attempt) return { progress, deltas: [] };
  const isRetry = progress !== null && live.attempt > progress.attempt;
  const before = progress && !isRetry ? progress : { attempt: live.attempt, ...NOTHING_SHOWN };
  const withdrawn = isRetry && Object.keys(progress.shown).length > 0;
  const deltas: LiveDelta[] = withdrawn ? [{ type: 'reset', attempt: live.attempt }] : [];
  const shown = before.shown[live.channel] ?? 0;
  const missed = Math.max(0, live.offset - shown);
  const end = live.offset + live.text.length;
  if (end <= shown) return { progress: before, deltas };
  if (missed > 0) deltas.push({ type: 'gap', chars: missed });
  const text = missed > 0 ? live.text : live.text.slice(shown - live.offset);
  deltas.push({ type: 'text', channel: live.channel, text });
  const after: LiveProgress = {
    ...before,
    shown: { ...before.shown, [live.channel]: end },
    gap: before.gap || (missed > 0 && live.channel === 'text'),
  };
  return { progress: after, deltas };
}

/** Deltas that the final message adds: the rest of its text, or all of it where a gap was marked. */
export function completeLive(progress: LiveProgress | null, text: string): LiveDelta[] {
  if (progress?.gap) return [{ type: 'whole', text }];
  const rest = text.slice(progress?.shown.text ?? 0);
  return rest === '' ? [] : [{ type: 'text', channel: 'text', text: rest }];
}
