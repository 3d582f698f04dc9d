/**
 * The plain live view: one line an event, and the running text of model calls as it comes. Of a reply that is
 * JSON the words that are meant for people, when it has ended.
 */

import type { LiveChannel, TextDelta } from '../client/runs/live-text.js';
import type { RunEnd } from '../client/runs/run-end.js';
import type { OwnEvent, RunEvent } from '../client/runs/run-event.js';
import type { ToolProgress } from '../core/heartbeats.js';
import type { JournalEvent, ReplyForm } from '../core/journal.js';
import { eventLines, isToldOfChild, whoseLine } from './event-lines.js';
import { formatCount } from './format.js';
import { gateHelp } from './gate-help.js';
import { completeLive, followLive, joined, type LiveDelta, type LiveProgress } from './live-deltas.js';
import type { TextSink } from './output.js';
import type { ShownTask } from './plan-lines.js';
import { progressWords } from './progress-words.js';
import { isJson, jsonStart, mayBecomeJson, spokenText } from './reply-text.js';
import { retryLine } from './retry-line.js';
import { terminalText } from './terminal-text.js';
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

interface ViewOptions {
  /** With the id of the run it says how gates are answered. */
  runId?: string;
  /** Of a sub-agent: its place below the run. */
  child?: string;
  /** Milliseconds since the epoch. Default: the time of the first event. */
  startedAt?: number | null;
}

/** Shows items of a watch on a sink. */
export class PlainView {
  readonly #sink: TextSink;
  readonly #runId: string | null;
  /** In front of each line of a sub-agent; '' for the run itself. */
  readonly #who: string;
  /** Sub-agents that run, by their places. */
  readonly #children = new Map<string, PlainView>();
  #startedAt: number | null;
  /** Model calls that have started and not ended, by id. */
  readonly #running = new Map<string, CallView>();
  /** What was last told of the progress of each tool call. */
  readonly #toldProgress = new Map<string, string>();
  /** Of the plan as it was shown last. */
  #tasks: readonly ShownTask[] = [];
  #channel: LiveChannel = 'text';
  /** Tasks that have begun and not ended. */
  readonly #atWork = new Set<string>();

  constructor(sink: TextSink, { runId, child, startedAt = null }: ViewOptions = {}) {
    this.#who = child === undefined ? '' : whoseLine(child, sink.colors);
    this.#sink = child === undefined ? sink : wholeLines(sink, `      ${this.#who}`);
    this.#runId = runId ?? null;
    this.#startedAt = startedAt;
  }

  show(item: RunEvent): void {
    const { yellow } = this.#sink.colors;
    if (item.type === 'journal') this.#showEvent(item.event);
    if (item.type === 'text') this.#showText(item);
    if (item.type === 'retry') this.#note(yellow(retryLine(item.retry)));
    if (item.type === 'notice') {
      if (this.#who === '') this.#sink.line(yellow(item.text));
      else this.#note(yellow(item.text));
    }
    if (item.type === 'progress') this.#showProgress(item.progress);
    if (item.type === 'child') this.#showChild(item.child, item.event);
  }

  #showChild(child: string, item: OwnEvent): void {
    const view =
      this.#children.get(child) ?? new PlainView(this.#sink, { child, startedAt: this.#startedAt });
    this.#children.set(child, view);
    if (item.type === 'journal' && item.event.type === 'subagent_ended')
      this.#forget(`${child}/${item.event.id}`);
    if (item.type !== 'journal' || isToldOfChild(item.event)) view.show(item);
  }

  /** Ends running text. */
  end(): void {
    this.#sink.endText();
  }

  #forget(child: string): void {
    this.#children.get(child)?.end();
    this.#children.delete(child);
  }

  /** A line without a time. */
  #note(text: string): void {
    this.#sink.line(`      ${this.#who}${text}`);
  }

  #showEvent(event: JournalEvent): void {
    this.#startedAt ??= event.at;
    if (event.type === 'subagent_ended') this.#forget(event.id);
    if (event.type === 'model_call_ended') this.#showReply(event.callId, event.text ?? '');
    const { colors } = this.#sink;
    for (const line of eventLines(event, this.#startedAt, colors, this.#tasks, this.#who))
      this.#sink.line(line);
    if (event.type === 'plan_updated') this.#tasks = event.tasks;
    if (event.type === 'goal_started') this.#tasks = [];
    if (event.type === 'gate_opened' && this.#runId !== null) {
      for (const line of gateHelp(this.#runId, event.gateId, event.kind)) this.#sink.line(`      ${line}`);
    }
    if (event.type === 'model_call_started') {
      this.#running.set(event.callId, {
        progress: null,
        heard: null,
        form: event.form,
        quiet: false,
        late: false,
        taskId: event.taskId,
        beside: null,
      });
    }
    this.#noteTasks(event);
    if (event.type === 'tool_call_ended') this.#toldProgress.delete(event.callId);
  }

  #noteTasks(event: JournalEvent): void {
    if (event.type === 'task_started') this.#atWork.add(event.taskId);
    if (event.type === 'model_call_started' && event.taskId !== null) this.#atWork.add(event.taskId);
    if (event.type === 'task_ended') this.#atWork.delete(event.taskId);
    if (event.type === 'goal_started') this.#atWork.clear();
    if (event.type === 'model_call_failed') this.#forgetCall(event.callId);
  }

  #forgetCall(callId: string): void {
    this.#running.get(callId)?.beside?.endText();
    this.#running.delete(callId);
  }

  /** Where the text of a call goes: once it has named its task it goes on so. */
  #sinkOf(call: CallView | undefined): TextSink {
    if (!call || call.taskId === null || (call.beside === null && this.#atWork.size < 2)) return this.#sink;
    if (call.beside === null) {
      this.#sink.endText();
      call.beside = wholeLines(this.#sink, `      ${this.#who}${whoseLine(call.taskId, this.#sink.colors)}`);
    }
    return call.beside;
  }

  #showText(delta: TextDelta): void {
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

  #showReply(callId: string, reply: string): void {
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
    this.#forgetCall(callId);
  }

  /** A line where there is something new to say; figures alone, each tenth of the whole. */
  #showProgress(progress: ToolProgress): void {
    const { message = '', total } = progress;
    const tenth = total ? Math.floor((10 * progress.progress) / total) : 0;
    const mark = `${message} ${tenth}`;
    if (this.#toldProgress.get(progress.callId) === mark) return;
    this.#toldProgress.set(progress.callId, mark);
    this.#note(this.#sink.colors.dim(`tool ${progress.tool} · ${progressWords(progress)}`));
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
    if (channel === 'tool_input' || (channel === 'reasoning' && (this.#who !== '' || sink !== this.#sink)))
      return;
    if (channel !== this.#channel) sink.endText();
    this.#channel = channel;
    const clean = terminalText(text);
    sink.text(channel === 'reasoning' ? this.#sink.colors.dim(clean) : clean);
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

/** Shows what happens to the run's end; null where the events were ended before it. */
export async function showEvents(
  events: AsyncIterable<RunEvent>,
  show: (event: RunEvent) => void,
): Promise<RunEnd | null> {
  for await (const event of events) {
    show(event);
    if (event.type === 'end') return event.end;
  }
  return null;
}
